"""python scripts/model-parameters.py

Fills in the parameter counts of test/fixtures/model-parameters.json: makes each model of that file in transformers, without
memory for its weights, and counts. Runs in an environment in which transformers and torch are installed. The fixture is
what the counts of src/model/parameters.ts are tested against.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, AutoModelForImageTextToText

FIXTURE = Path(__file__).parent.parent / "test/fixtures/model-parameters.json"
# Names that transformers does not have, for the same class.
SAME_CLASS = {"kimi_k2": "deepseek_v3"}
TOWERS = ("vision", "visual", "projector", "audio", "multi_modal")
# Stored in the files, though transformers does not call it a parameter.
STORED = "e_score_correction_bias"


def make(config: dict):
    config = {**config}
    config.pop("quantization_config", None)
    config["model_type"] = SAME_CLASS.get(config["model_type"], config["model_type"])
    made = CONFIG_MAPPING[config["model_type"]].from_dict(config)
    with torch.device("meta"):
        if "audio_config" in config:
            return getattr(transformers, config["architectures"][0])(made)
        return (AutoModelForImageTextToText if "vision_config" in config else AutoModelForCausalLM).from_config(made)


transformers.logging.set_verbosity_error()
fixture = json.loads(FIXTURE.read_text())
for name, entry in fixture["models"].items():
    model = make(entry["config"])
    parameters = {name: parameter.numel() for name, parameter in model.named_parameters()}
    entry["total"] = sum(parameters.values())
    entry["towers"] = sum(count for name, count in parameters.items() if any(word in name for word in TOWERS))
    stored = sum(buffer.numel() for name, buffer in model.named_buffers() if STORED in name)
    if stored:
        entry["stored"] = stored
lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in fixture["models"].items())
head = json.dumps(transformers.__version__)
FIXTURE.write_text(f'{{\n "transformers": {head},\n "models": {{\n{lines}\n }}\n}}\n')
