"""Makes empty stand-ins for the CUDA libraries that PyPI's torch wheel is linked to, so that it loads on a CPU.

Usage: python stubs.py SITE_PACKAGES    (takes gcc and pyelftools)

Every stand-in answers 100, cudaErrorNoDevice, so torch.cuda.is_available() is False. Their names and versioned symbols
are read from torch's own libraries.
"""

import pathlib
import platform
import re
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile

SYSTEM = re.compile(r'^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|gomp|util)\.so|ld-linux)')
# Loaded by name, so no library lists it.
DRIVER = 'libcuda.so.1'
# Symbols without a version, by how their names begin.
OWNERS = [
    ('nccl', 'libnccl'),
    ('cudnn', 'libcudnn'),
    ('cuFile', 'libcufile'),
    ('cusparseLt', 'libcusparseLt'),
    ('cupti', 'libcupti'),
    ('nvrtc', 'libnvrtc'),
    ('nvshmem', 'libnvshmem'),
    ('cu', 'libcuda.so'),
]
ANSWER = {'x86_64': 'mov $100,%eax\nret', 'aarch64': 'mov w0,#100\nret'}[platform.machine()]


def versions_of(elf):
    """Version index of a symbol -> (library, version) that it is wanted from."""
    section = elf.get_section_by_name('.gnu.version_r')
    pairs = section.iter_versions() if section else []
    return {aux['vna_other']: (need.name, aux.name) for need, auxiliaries in pairs for aux in auxiliaries}


def read(paths):
    """What the libraries define, what they need, and which symbols they take from where."""
    defined, needed, wanted = set(), set(), set()
    for path in paths:
        with open(path, 'rb') as file:
            elf = ELFFile(file)
            needed |= {tag.needed for tag in elf.get_section_by_name('.dynamic').iter_tags() if tag.entry.d_tag == 'DT_NEEDED'}
            versions, index = versions_of(elf), elf.get_section_by_name('.gnu.version')
            for at, symbol in enumerate(elf.get_section_by_name('.dynsym').iter_symbols()):
                if symbol['st_shndx'] != 'SHN_UNDEF':
                    defined.add(symbol.name)
                elif symbol.name and symbol['st_info']['bind'] == 'STB_GLOBAL':
                    library, version = versions.get(index.get_symbol(at)['ndx'], (None, None)) if index else (None, None)
                    wanted.add((symbol.name, library, version))
    return defined, needed, wanted


def owner_of(name, missing):
    for prefix, library in OWNERS:
        hits = [one for one in missing if one.startswith(library)]
        if hits and name.startswith(prefix):
            return hits[0]
    return missing[0] if re.match(r'cu|nv|nccl|__cuda', name) else None


def build(library, by_version, target):
    lines, script = ['.text'], []
    for version, names in by_version.items():
        lines += [f'.globl {name}\n.type {name},%function\n{name}: {ANSWER}' for name in sorted(names)]
        if version:
            script.append(f'{version} {{ global: {"; ".join(sorted(names))}; }};')
    lines.append('.section .note.GNU-stack,"",%progbits')
    with tempfile.TemporaryDirectory() as folder:
        source, versions = pathlib.Path(folder, 'stub.s'), pathlib.Path(folder, 'versions')
        source.write_text('\n'.join(lines) + '\n')
        versions.write_text('\n'.join(script) + '\n')
        more = [f'-Wl,--version-script={versions}'] if script else []
        subprocess.run(['gcc', '-shared', '-nostdlib', '-o', target / library, f'-Wl,-soname,{library}', source, *more], check=True)


def main(site):
    folder = site / 'torch/lib'
    present = {path.name for path in folder.glob('*.so*')}
    defined, needed, wanted = read([*sorted(folder.glob('*.so*')), *(site / 'torch').glob('_C*.so')])
    missing = [*sorted(name for name in needed - present - {DRIVER} if not SYSTEM.match(name)), DRIVER]
    stubs = {library: {} for library in missing}
    for name, library, version in wanted:
        if name not in defined:
            owner = library if library in stubs else None if library else owner_of(name, missing)
            if owner:
                stubs[owner].setdefault(version if owner == library else None, set()).add(name)
    for library, by_version in stubs.items():
        build(library, by_version, folder)
    print(f'{len(stubs)} stand-ins in torch/lib')


main(pathlib.Path(sys.argv[1]))
