"""Writes src/hardware/instances.ts: what EC2 says about its instance types, for the families that the library knows.

Usage: python3 scripts/instances.py INSTANCE_TYPES_JSON MOTO_VERSION

The file is moto/ec2/resources/instance_types.json (or .json.gz) of the Python package moto, which records the answers of
EC2's DescribeInstanceTypes: `pip download --no-deps moto`, then unzip the wheel.
"""
import gzip
import json
import pathlib
import sys

# Which processor a family has is no part of the file; src/hardware/processors.ts says it, for the same families.
FAMILIES = """
    m6g c6g r6g  m7g c7g r7g m7gd c7gd r7gd c7gn  m8g c8g r8g x8g
    m5 c5 r5  m6i c6i r6i  m7i c7i r7i m7i-flex c7i-flex  m8i c8i r8i m8i-flex c8i-flex r8i-flex
    m5a c5a r5a  m6a c6a r6a  m7a c7a r7a  m8a c8a r8a
    g4dn g5 g5g g6 g6e gr6  p3dn p4d p4de p5 p5e p5en p6-b200
""".split()


def row(facts):
    network = facts['NetworkInfo']
    # Pods get their addresses from the interfaces of the default network card; EFA cards have none for them.
    card = network['NetworkCards'][network['DefaultNetworkCardIndex']]
    values = [
        facts['VCpuInfo']['DefaultVCpus'],
        facts['MemoryInfo']['SizeInMiB'],
        card['MaximumNetworkInterfaces'],
        network['Ipv4AddressesPerInterface'],
    ]
    gpus = facts.get('GpuInfo', {}).get('Gpus', [])
    if gpus:
        (gpu,) = gpus
        values += [f"'{gpu['Name']}'", gpu['Count'], gpu['MemoryInfo']['SizeInMiB']]
    return ', '.join(map(str, values))


def main(path, version):
    opened = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    with opened as file:
        types = json.load(file)
    lines = []
    for family in sorted(FAMILIES):
        rows = [(facts['VCpuInfo']['DefaultVCpus'], facts['MemoryInfo']['SizeInMiB'], name, facts)
                for name, facts in types.items()
                if name.split('.')[0] == family and not facts['BareMetal']]
        if not rows:
            sys.exit(f'{path}: no instance type of the family {family}')
        lines += [f"  '{name}': [{row(facts)}],\n" for _, _, name, facts in sorted(rows, key=lambda entry: entry[:3])]
    pathlib.Path('src/hardware/instances.ts').write_text(
        f'// Made by scripts/instances.py from the EC2 instance types in moto {version}.\n\n'
        '/**\n'
        ' * What EC2 says of an instance type: vCPUs, memory in MiB, network interfaces of its default network card, IPv4\n'
        ' * addresses of each; with GPUs also their name, their number and the memory of one in MiB.\n'
        ' */\n'
        'export type InstanceFacts =\n'
        '  | readonly [cpus: number, mebibytes: number, interfaces: number, addresses: number]\n'
        '  | readonly [\n'
        '      cpus: number,\n'
        '      mebibytes: number,\n'
        '      interfaces: number,\n'
        '      addresses: number,\n'
        '      gpu: string,\n'
        '      gpus: number,\n'
        '      gpuMebibytes: number,\n'
        '    ];\n\n'
        '/** The instance types known by name, family by family; no bare metal. */\n'
        'export const INSTANCES: Readonly<Record<string, InstanceFacts>> = {\n' + ''.join(lines) + '};\n'
    )


main(*sys.argv[1:])
