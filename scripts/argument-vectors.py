"""Writes test/fixtures/vllm-arguments.json: what vLLM's own command line parser makes of command lines.

Run with the Python of an environment that has vLLM: python scripts/argument-vectors.py > test/fixtures/vllm-arguments.json
"""

import contextlib
import io
import json

from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser
from vllm.version import __version__

LINES = [
    "M",
    "M -tp 4",
    "M -tp=4",
    "M -tp4",
    "M -t 4",
    "M --tensor-parallel-size=4 -pp 2",
    "M --tensor_parallel_size 4",
    "M --tensor-par 4",
    "M --max-num-seq=64",
    "M --max-num 64",
    "M --port 8001 --port 8002",
    "--port 8001 M",
    "--port 8001 M --headless",
    "M N",
    "--model M --port 8001",
    "--model=M -n 2 -r 1",
    "M --model N",
    "--mode M",
    "M -n2 -r1",
    "M -n=2",
    "M -qfp8",
    "M -q fp8",
    "M -O0",
    "M -O 0",
    "M -O=1",
    "M -O3 -O2",
    "M --optimization-level 0",
    "M --enforce-eager",
    "M --no-enforce-eager",
    "M --enforce-eager --no-enforce-eager",
    "M --no-enforce-e",
    "M --enforce-eager=true",
    "M --headless",
    "M --no-headless",
    "M --head",
    "M -cc.mode=2 -cc.backend=eager",
    "M -cc.mode 0",
    "M --compilation-config.mode=0",
    "M --compilation_config.mode=0",
    'M --compilation-config {"mode":0}',
    'M -cc={"mode":0,"backend":"eager"}',
    'M -cc.mode=2 -cc={"backend":"eager"}',
    'M -cc={"backend":"eager"} -cc.mode=2',
    "M --compilation-config.mode=1 -cc.mode=2",
    "M -cc.mode=2 --compilation-config.mode=1",
    "M -cc.mode=none",
    "M -cc.pass_config.fuse_norm_quant=true",
    "M --max-model-len 16K",
    "M --max-model-len 16k",
    "M --max-model-len=1.5k",
    "M --max-model-len=1.5K",
    "M --max-model-len auto",
    "M --max-model-len -1",
    "M --kv-cache-memory-bytes 4G",
    "M --max-num-seqs 1K",
    "M --served-model-name a b --port 8001",
    "M --served-model-name=a",
    "M --served_model_name a",
    "M --api-key a b",
    "M --hf-token",
    "M --hf-token t --port 8001",
    "M --seed -1",
    "M --seed=-1",
    "M --data-parallel-size 2 -dpl 1 -dpr 1 -dpa h -dpp 5555",
    "M -dp 2 --data-parallel-hybrid-lb",
    "M --port",
    "M --port --headless",
    "M --no-such-flag",
    "M --no-such-flag=1",
    "M --swap-space 4",
    "M --async-scheduling",
    "M --no-async-scheduling",
    "M --enable-prefix-caching --no-enable-prefix-caching",
    "M --trust-remote-code --revision abc",
    "M --hf-overrides.rope_scaling.type=yarn",
    "M -- N",
    "-- M",
    "M --gpu-memory-utilization .9",
    "M --distributed-executor-backend=ray",
    "M --limit-mm-per-prompt {\"image\":0}",
    "M --cudagraph-capture-sizes 1 2 4",
    "M -asc 2",
    "M -ep",
]
# Words with blanks in them.
WORDS = [
    ["M", "--tensor-parallel-size 4"],
    ["--tensor-parallel-size 4 --port 8001"],
    ["M", "--tensor-parallel-size=4 --port 8001"],
    ["M", "--chat-template", "{{ a }} --b"],
    ["M", "--chat-template", "- a"],
    ["", "--port", "8001"],
    ["M", "-tp", " 4"],
]

parser = FlexibleArgumentParser()
sub = parser.add_subparsers(dest="subparser")
serve = make_arg_parser(sub.add_parser("serve"))
defaults = vars(parser.parse_args(["serve"]))


def run(words):
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            found = vars(parser.parse_args(["serve", *words]))
    except SystemExit:
        return {"error": said.getvalue().strip().splitlines()[-1].split("error: ", 1)[-1]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    changed = {k: v for k, v in found.items() if k != "subparser" and str(v) != str(defaults.get(k))}
    if "compilation_config" in changed:
        config = changed["compilation_config"]
        mode = config.mode if config.mode is None else int(config.mode)
        changed["compilation_config"] = {"mode": mode, "backend": config.backend}
    return json.loads(json.dumps(changed, default=str))


print("[")
rows = [{"words": words, **({"result": run(words)})} for words in [line.split(" ") for line in LINES] + WORDS]
print(",\n".join(json.dumps({"release": __version__.split("+")[0], **row}) for row in rows))
print("]")
