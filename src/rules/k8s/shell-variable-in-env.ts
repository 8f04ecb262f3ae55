import type { Variable } from '../../manifest/environment';
import { CPU_POD, edit } from '../examples';
import type { Severity } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer } from './containers';

/** A value that is a variable of a shell and nothing else. */
const WHOLE = /^\$(?:\{([A-Za-z_]\w*)(?::?[-=?][^}]*)?\}|([A-Za-z_]\w*))$/;
/** One in the middle of a path, an address or a list. */
const PART = /(?<!\$)\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*)\b)/;
/** A command whose output a shell would put in; Kubernetes takes it for a name that nothing defines. */
const COMMAND = /^(?:\$\([a-z][^()]*\)|`[^`]+`)$/;
/** Variables of programs that do not expand what they get. */
const PLAIN = /^(HF_|HUGGING_FACE_|VLLM_|NCCL_|GLOO_|RAY_|CUDA_|OMP_|TORCH_|MASTER_ADDR$|MASTER_PORT$)/;

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container, engine } of eachContainer(workloads)) {
    for (const variable of container.environment.variables) {
      const found = shellSyntax(variable, engine !== undefined);
      if (found !== undefined) {
        const { text, name, severity } = found;
        yield {
          object: workload.object,
          path: variable.path,
          what: `${variable.name} is the text '${text}'`,
          fix:
            name === undefined
              ? 'work the value out in the command of the container'
              : name === variable.name
                ? 'take it from a Secret, a ConfigMap or a field, or fill it in before the manifest is applied'
                : `write $(${name}) and define ${name} above it`,
          severity,
        };
      }
    }
  }
}

function shellSyntax(
  { name, written = '', state, origin }: Variable,
  isEngine: boolean,
): { text: string; name?: string; severity: Severity } | undefined {
  if (state !== 'used' || origin !== 'container' || (!written.includes('$') && !written.includes('`'))) {
    return undefined;
  }
  const isPlain = isEngine || PLAIN.test(name);
  const whole = WHOLE.exec(written.trim());
  if (whole) {
    return { text: written.trim(), name: whole[1] ?? whole[2], severity: isPlain ? 'error' : 'note' };
  }
  if (!isPlain) {
    return undefined;
  }
  if (COMMAND.test(written.trim())) {
    return { text: written.trim(), severity: 'error' };
  }
  // A script, a template or a document is for whoever reads it to expand.
  const part = /[\s{}[\];|&]/.test(written.replaceAll(/\$\{\w+\}/g, '')) ? null : PART.exec(written);
  // In a list of folders the text is one that is not there, and the others are looked through all the same.
  const severity = isSearchPath(name, written) ? 'note' : 'error';
  return part ? { text: written, name: part[1] ?? part[2], severity } : undefined;
}

function isSearchPath(name: string, written: string): boolean {
  const hasOthers = written.split(':').some((folder) => folder.startsWith('/') && !folder.includes('$'));
  return /PATH$/.test(name) || (hasOthers && !written.includes('://'));
}

const TOKEN = (value: string): string =>
  edit(CPU_POD, [
    '            - { name: OMP_NUM_THREADS',
    `            - { name: HF_HOME, value: ${value} }\n            - { name: OMP_NUM_THREADS`,
  ]);

export const shellVariableInEnv: Rule = {
  id: 'k8s/shell-variable-in-env',
  severity: 'error',
  title: 'the value of a variable is in shell syntax',
  why: 'Kubernetes puts in $(NAME) alone, so the program gets the text',
  fix: 'write $(NAME)',
  source: 'variable expansion of Kubernetes',
  get bad() {
    return TOKEN('$MODEL_CACHE');
  },
  get good() {
    return TOKEN('/models');
  },
  check,
};
