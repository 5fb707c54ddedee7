"""Executes the notebooks of examples/python with Jupyter, and compares what they print with what they show."""

import os
import sys
import unittest

import python_module as here
import script_main

try:
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError as error:
    nbformat = None
    MISSING = str(error)

NOTEBOOKS = sorted((here.SOURCE / "examples" / "python").glob("*.ipynb"))


def printed(cell):
    """What a cell prints, and the names of the types of what it shows."""
    texts, shown = [], []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif output.output_type in ("execute_result", "display_data"):
            shown.append(sorted(output.data))
            texts.append(output.data.get("text/plain", ""))
    return "".join(texts), shown


def execute(path):
    notebook = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=120, kernel_name="python3", shutdown_kernel="immediate").preprocess(
        notebook, {"metadata": {"path": str(here.SOURCE)}})
    return notebook


@unittest.skipIf(nbformat is None, "nbconvert is not installed")
class Notebooks(unittest.TestCase):
    def test_there_are_four(self):
        self.assertEqual(len(NOTEBOOKS), 4)

    def test_outputs(self):
        os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                kept = nbformat.read(path, as_version=4)
                for before, after in zip(kept.cells, execute(path).cells):
                    if before.cell_type == "code":
                        self.assertEqual(printed(after), printed(before), before.source)


def update():
    """Executes the notebooks, and stores their outputs."""
    for path in NOTEBOOKS:
        notebook = execute(path)
        for cell in notebook.cells:
            cell.metadata = {}
            if cell.cell_type == "code":
                cell.outputs = [output for output in cell.outputs
                                if output.output_type != "stream" or output.name == "stdout"]
        notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
        nbformat.write(notebook, path)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        script_main.main(*sys.argv[1:])
