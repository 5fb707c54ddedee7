"""Two simpler models beside the message model, on the same cells: alpha-beta-gamma, fitted to six
points of each machine, and LogGPS, fitted to the same points as the kept parameters. Both have no
topology, no barrier, and no work of a library. Each is a parameter file for tutti."""

import json
import shutil

from machines import FITS, HERE, MACHINES, fit_parameters, fits, kinds_of, start_file
from parts import wide_cables

# Recursive doubling and Rabenseifner's algorithm at three sizes in one job of each machine.
SIX_CELLS = {
    "leonardo": ("2025_03_28___18_19_43", "allreduce", [2048, 131072, 67108864]),
    "lumi": ("2025_04_07___16_33_47", "allreduce", [2048, 131072, 67108864]),
    "mare_nostrum": ("2025_04_10___20_36_45", "allreduce", [2048, 131072, 67108864]),
}
SIX_ALGORITHMS = ["recursive_doubling", "rabenseifner"]

# Parameters of each model: fitted, and kept from the start of the machine.
ALPHA_BETA = (["latency_s", "rank_bytes_per_s", "reduce_s_per_byte"], [])
LOGGPS = (["latency_s", "handshake_s", "rank_bytes_per_s", "reduce_s_per_byte"],
          ["send_overhead_s", "receive_overhead_s", "eager_bytes"])
MODELS = {"alpha-beta, six points": ALPHA_BETA, "LogGPS": LOGGPS}


def start_of(machine, model, folder):
    """Writes the start of a model: that of the machine, with only the parameters of the model."""
    fitted, kept = MODELS[model]
    file = json.loads(start_file(machine).read_text(encoding="utf-8"))
    values = {name: file["parameters"][name] for name in [*kept, *fitted]}
    values["wire_latency_factor"] = 0
    start = {"schema": file["schema"], "machine": file["machine"], "library": "other",
             "parameters": values}
    path = folder / f"start_{machine}.json"
    path.write_text(json.dumps(start), encoding="utf-8")
    return path


def fitted_models(model, folder):
    """Writes a parameter file and a platform for each machine to the folder. Returns further
    arguments for tutti()."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for machine in MACHINES:
        platform = (HERE / "platforms" / f"{machine}.xml").read_text(encoding="utf-8")
        (folder / f"{machine}.xml").write_text(wide_cables(platform), encoding="utf-8")
    for machine in MACHINES:
        options = {"start": start_of(machine, model, folder), "names": MODELS[model][0],
                   "after_barrier": False, "platforms": folder}
        if model.startswith("alpha-beta"):
            job, collective, sizes = SIX_CELLS[machine]
            options["fitted"] = lambda _, point, job=job, collective=collective, sizes=sizes: (
                point["job"] == job and point["collective"] == collective
                and int(point["bytes"]) in sizes and point["tutti"] in SIX_ALGORITHMS)
        else:
            options["fitted"] = lambda _, point, machine=machine: any(
                fits(kind, point) for kind in kinds_of(machine) if "limits" not in FITS[kind])
        fit_parameters(machine, folder / f"{machine}.json", **options)
    return {"after_barrier": False, "platforms": folder}
