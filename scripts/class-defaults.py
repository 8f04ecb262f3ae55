"""python scripts/class-defaults.py > src/model/class-defaults.ts

Writes what the classes of transformers put where config.json is silent, for the kinds of models that src/model/families.ts
knows, as far as src/model reads it. Runs in an environment in which transformers is installed.
"""

import dataclasses
import json
import re
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import transformers
from transformers import CONFIG_MAPPING

MODEL = Path(__file__).parent.parent / "src/model"
# Said by the file or not at all: drafts are beside the weights, and what is tied is known of the family.
DRAFTS = {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers"}
NEVER = DRAFTS | {"tie_word_embeddings", "is_encoder_decoder", "eos_token_id"}
# Its sizes are in objects of their own.
NESTED = {"dbrx"}


def text_class(name: str):
    """The class of the text model, where the class of the whole fixes one."""
    if name not in CONFIG_MAPPING or name in NESTED:
        return None
    made = CONFIG_MAPPING[name]
    inner = getattr(made, "sub_configs", {}).get("text_config", made)
    is_text = dataclasses.is_dataclass(inner) and inner.__name__ != "AutoConfig" and "Vision" not in inner.__name__
    return inner if is_text else None


families = (MODEL / "families.ts").read_text()
start, middle, end = (families.index(word) for word in ("FAMILIES:", "const ALIASES", "export function familyOf"))
known = re.findall(r"^  (\w+): [{A-Z]", families[start:middle], re.M)
aliases = re.findall(r"^  (\w+): '", families[middle:end], re.M)
source = "".join((MODEL / file).read_text() for file in ("config.ts", "parameters.ts", "families.ts"))
read = {word for pair in re.findall(r"'([a-zA-Z_]\w*)'|\b([a-z]\w*_\w*):", source) for word in pair if word}

lines = []
for name in [*known, *aliases]:
    made = text_class(name)
    if made is None:
        continue
    values = {
        field.name: field.default
        for field in dataclasses.fields(made)
        if field.name in read - NEVER and field.default is not False and isinstance(field.default, (bool, int, float))
    }
    lines.append(f"{name} {json.dumps(values, separators=(',', ':'))}")

print(f"""/* Made by scripts/class-defaults.py from transformers {transformers.__version__}. */

const LINES = `
{chr(10).join(lines)}
`;

/**
 * What the class of a kind of model puts where config.json is silent; nothing of a kind that is not known. Taken apart when
 * somebody asks for one.
 */
export function classDefaults(modelType: string): Readonly<Record<string, unknown>> | undefined {{
  const start = LINES.indexOf(`\\n${{modelType}} {{`);
  if (start < 0) return undefined;
  const from = start + modelType.length + 2;
  return JSON.parse(LINES.slice(from, LINES.indexOf('\\n', from))) as Readonly<Record<string, unknown>>;
}}""")
