"""Makes the module `tutti` of this build importable. If the build has none, ends the test as skipped."""

import os
import sys
from pathlib import Path

SOURCE = Path(os.environ["TUTTI_SOURCE_DIR"])
BINARY = os.environ["TUTTI_BINARY"]
FOLDER = Path(BINARY).parent / "python"

sys.path.insert(0, str(FOLDER))
sys.path.insert(0, str(SOURCE / "tests"))
try:
    import tutti  # noqa: F401
except ImportError as error:
    print(f"skipped: the Python module cannot be imported: {error}", file=sys.stderr)
    sys.exit(77)

# Processes that a test starts find the module as well.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))
