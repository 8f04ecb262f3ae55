"""Prints the flags of `vllm serve` of the installed vLLM as JSON: all names of each, and whether it takes a value."""

import argparse
import importlib
import json
import os
import sys

out = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)

from vllm.utils.argparse_utils import FlexibleArgumentParser

for name in ('vllm.entrypoints.launchers.cli_args', 'vllm.entrypoints.openai.cli_args'):
    try:
        make_arg_parser = importlib.import_module(name).make_arg_parser
        break
    except ImportError:
        continue
else:
    sys.exit('this vLLM keeps the arguments of its server elsewhere')

actions = make_arg_parser(FlexibleArgumentParser())._actions
flags = [
    {'names': action.option_strings, 'switch': isinstance(action, argparse.BooleanOptionalAction), 'nargs': action.nargs}
    for action in actions
    if action.option_strings
]
print(json.dumps(flags), file=out, flush=True)
