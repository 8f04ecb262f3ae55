import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer, mayBeShell } from './containers';

/** What a shell would take for a variable; a small name without braces may be part of anything. */
const VARIABLE = /(?<!\$)\$(?:\{([A-Za-z_]\w*)\}|([A-Z_][A-Z0-9_]*)\b)/;

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const placed of eachContainer(workloads)) {
    const { workload, engine, command, args } = placed;
    if (engine === undefined || engine.command.form === 'unreadable' || mayBeShell(placed)) {
      continue;
    }
    for (const { path, text } of [...command, ...args]) {
      const found = text.includes('$') ? VARIABLE.exec(text) : null;
      const name = found?.[1] ?? found?.[2];
      if (found && name !== undefined) {
        yield {
          object: workload.object,
          path,
          what: `'${found[0]}' stays as it is, since no shell reads the arguments`,
          fix: `write $(${name}), which Kubernetes puts in, or run the line with a shell`,
        };
      }
    }
  }
}

export const shellVariableInArgs: Rule = {
  id: 'k8s/shell-variable-in-args',
  severity: 'error',
  title: 'an argument in shell syntax, without a shell',
  why: 'Kubernetes puts in $(NAME) alone, so the engine gets the text',
  fix: 'write $(NAME)',
  source: 'variable expansion of Kubernetes',
  get bad() {
    return edit(CPU_GROUP, ['--master-addr=$(LWS_LEADER_ADDRESS)', '--master-addr=$LWS_LEADER_ADDRESS']);
  },
  good: CPU_GROUP,
  check,
};
