"""python scripts/pipeline-models.py > src/model/pipeline.ts

Writes which model classes vLLM has, and which of them it cannot split into pipeline stages. Runs in an environment in which
vLLM is installed; a class that cannot be imported there is judged by the base classes in its source.
"""

import importlib.util
import re
import textwrap
from pathlib import Path

import vllm
from vllm.model_executor.models import registry


def declares_pipeline(module: str, name: str) -> bool:
    spec = importlib.util.find_spec(module)
    source = Path(spec.origin).read_text() if spec and spec.origin else ""
    found = re.search(rf"class {name}\(([^)]*)\)", source, re.S)
    return bool(found and "SupportsPP" in found.group(1))


def supports_pipeline(model) -> bool:
    try:
        return registry._ModelInfo.from_model_cls(model.load_model_cls()).supports_pp
    except Exception:
        return declares_pipeline(model.module_name, model.class_name)


def words(names) -> str:
    return "\n".join(textwrap.wrap(" ".join(sorted(names)), 116, initial_indent="  ", subsequent_indent="  "))


models = registry.ModelRegistry.models
without = [name for name, model in models.items() if not supports_pipeline(model)]
removed = "\n".join(f"  {name}: '{version}'," for name, version in sorted(registry._PREVIOUSLY_SUPPORTED_MODELS.items()))

print(f"""/* Made by scripts/pipeline-models.py from vLLM {vllm.__version__.split('+')[0]}. */

/** Words that are taken apart when somebody asks for one. */
function words(text: string): {{ has(word: string): boolean }} {{
  let set: Set<string> | undefined;
  return {{ has: (word) => (set ??= new Set(text.trim().split(/\\s+/))).has(word) }};
}}

/** Model classes that vLLM has. */
export const KNOWN_ARCHITECTURES = words(`
{words(models)}
`);

/** Those that vLLM cannot split into pipeline stages. */
export const NO_PIPELINE = words(`
{words(without)}
`);

/** Classes that vLLM no longer has, with the last release that had them. */
export const REMOVED_ARCHITECTURES: Readonly<Record<string, string>> = {{
{removed}
}};""")
