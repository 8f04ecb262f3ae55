import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fieldTable, program, transcript } from './docs-plan.mjs';
import { checkSchema } from './plan-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** docs/check.schema.json, byte for byte. */
export function checkSchemaFile() {
  return `${JSON.stringify(checkSchema(), undefined, 2)}\n`;
}

/** docs/check.md: the guide to `cdk8s-vllm check`, with what it prints of a bundle that was edited by hand. */
export function checkPage() {
  const folder = mkdtempSync(join(tmpdir(), 'docs-check-'));
  try {
    writeFileSync(join(folder, 'bundle.yaml'), faultyBundle());
    return page(program(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The reference bundle with two mistakes that are easily made: a name, and a flag on one role alone. */
function faultyBundle() {
  const bundle = readFileSync(join(root, 'dist/vllm-gemma.k8s.yaml'), 'utf8');
  return replaced(
    replaced(bundle, /^(kind: Service\nmetadata:\n(?: {2,}.*\n)*? {2}name: )vllm-leader$/m, '$1vllm-gemma'),
    /(- name: OMP_NUM_THREADS\n +value: "\d+"\n)( +)(?=- name)/,
    '$1$2- name: OMP_NUM_THREADS\n$2  value: "4"\n$2',
  );
}

function replaced(text, pattern, by) {
  const result = text.replace(pattern, by);
  if (result === text) throw new Error(`the reference bundle has nothing like ${pattern} any more`);
  return result;
}

function page(run) {
  const { properties, required, $defs } = checkSchema();
  const types = Object.entries($defs).filter(([, { properties: fields }]) => fields !== undefined);
  return `<!-- Made by \`npm run docs\` from src/cli/check: edit the sources and scripts/docs-check.mjs. -->

# cdk8s-vllm check

Says what is wrong with manifests that run vLLM, whoever wrote them and by whatever means: by hand, Helm, kustomize, cdk8s.
The rules are those that a synthesis runs. It asks nobody: no cluster, no network, nothing leaves the machine.

\`\`\`console
${transcript(run, 'check --rule lws/* bundle.yaml').replace('lws/*', "'lws/*'")}
\`\`\`

## Flags

\`\`\`console
${transcript(run, 'check --help')}
\`\`\`

- **Files** are YAML or JSON, of one document or many; a folder is read with all below it (\`.yaml\`, \`.yml\`, \`.json\`; not
  \`.git\` and \`node_modules\`), each file once. All objects of a run are judged together, since rules compare them: give what is
  applied together in one run.
- **A folder of kustomize** (\`kustomization.yaml\`) is read without its patches, configurations and data, which nobody applies as
  they are, and its overlays are not built: check what is, with \`kustomize build DIR | cdk8s-vllm check -\`. Two objects of one name
  are an error in one folder, and a warning in two, which may be variants.
- **A Helm chart** (\`Chart.yaml\`) has templates, which could not be read: check \`helm template DIR | cdk8s-vllm check -\`.
- **\`--rule\`, \`--ignore\`** take the id of a finding, or a pattern such as \`'lws/*'\`, and may be given again.
- **\`--fail-on\`** is \`warning\` unless given: an error is refused or cannot work, a warning works until the day that it names,
  and both want somebody to look. A note never counts.
- **\`--lws\`, \`--kubernetes\`**: what an older one does otherwise is judged only when its version is given. The release of vLLM is the one that
  the tag of the image names; an image that does not say it gives notes in place of errors.
- **\`--list-rules\`** and **\`--explain lws/duplicate-env\`** say what there is to find.

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | clean, or with what \`--fail-on\` lets pass |
| 1 | findings |
| 2 | a part of the input could not be read, whatever else was found; or wrong input, or no Kubernetes object at all: one line on standard error |

What can be read is judged and reported all the same. A pipe that broke at its beginning gives nothing to read, and so a 2.

## Accepting a finding

What you know better is accepted on the object, by an annotation with your reason. It is then listed and not counted:

\`\`\`yaml
metadata:
  annotations:
    accept.cdk8s-vllm/fit.split-not-needed: the split itself is what this deployment shows
\`\`\`

The name is that of the finding with a dot for its slash. Without a reason it accepts nothing. In a cdk8s App,
\`Findings.accept(construct, id, reason)\` writes it.

## In a pipeline

\`\`\`sh
helm template ./chart | cdk8s-vllm check -
kustomize build overlays/prod | cdk8s-vllm check --lws 0.9.0 --kubernetes 1.36 -
kubectl get lws,svc,ingress -n vllm -o yaml | cdk8s-vllm check -
cdk8s-vllm check -o sarif manifests/ > check.sarif   # code scanning
cdk8s-vllm check -o github manifests/                # remarks beside the lines of a pull request
\`\`\`

\`-o text\` begins each finding with \`file:line:column severity id\`, which editors and \`grep\` take. Control characters of the
input are never printed as they are. Colours are for a terminal alone, and not with \`NO_COLOR\`.

## In a cdk8s App

Where constructs of this library take part, a synthesis runs the rules by itself, and an error stops it. For an App of other
constructs, or to stop at warnings too, name the plugin in cdk8s.yaml; \`cdk8s synth\` then prints what the rules find in all that
the App rendered, each finding with the path of its construct:

\`\`\`yaml
validations:
  - package: ./node_modules/cdk8s-vllm
    version: 0.1.0
    class: VllmValidation
    properties:
      failOn: warning # or error, the default
      ignore: [alb/idle-timeout]
      lws: 0.9.0
\`\`\`

[examples/gemma-one-pod](../examples/gemma-one-pod/cdk8s.yaml) has it. cdk8s-cli then leaves a \`construct-metadata.json\` beside the
manifests, which is no object: apply \`dist/*.k8s.yaml\` and not the folder.

## How files are read

As kubectl reads them (sigs.k8s.io/yaml, which is go-yaml 2), so that what is judged is what the API server gets: \`yes\` and \`on\`
are true, \`0755\` is octal, merge keys are merged, tabs stand where it takes them.

- Documents are split first: one that is broken is reported with its place, and the others are judged.
- \`yaml/duplicate-key\`: kubectl takes the last one without a word. \`yaml/unrendered-template\`: \`{{ … }}\`, \`\${VAR}\` or \`<value>\`
  in a name, a label, an image or a number. Commands and data may hold them.
- \`kind: List\` and lists of one kind are unfolded. What is no object of Kubernetes is passed by and named; kinds that no rule
  knows are read and say nothing. Where one of them names an image of vLLM, as a RayCluster may, the summary says so: that part
  was not judged.
- A file has at most 100 MiB, a document 20 million values, 400 levels, and aliases that stand for 250,000 values.
- A line is where the path of the finding ends, or its nearest parent that is there.
- Of a rule with more than 1,000 findings the first 1,000 are listed, and how many more there are: \`more\` in JSON, a notification
  in SARIF. Counts and exit code know them all. A text of more than 2,000 characters is quoted by its beginning.

## JSON

\`-o json\` prints one object. Its form is [check.schema.json](check.schema.json) (JSON Schema); fields may be added while
\`schemaVersion\` stays 1. On wrong input it is \`{ "error": "…" }\`.

\`\`\`console
$ cdk8s-vllm check --rule lws/duplicate-env -o json bundle.yaml | jq .findings
${JSON.stringify(JSON.parse(run('check --rule lws/duplicate-env -o json bundle.yaml')).findings, undefined, 2)}
\`\`\`

### Document

${fieldTable(properties, required, $defs)}

${types.map(([name, { description, properties: fields, required: needed }]) => `### ${name}\n\n${description === undefined ? '' : `${description}\n\n`}${fieldTable(fields, needed ?? [], $defs)}`).join('\n\n')}
`;
}
