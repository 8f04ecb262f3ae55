/** Makes docs/rules/ from src/rules: a page for each rule, and the list of them; scripts/docs.mjs writes them. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parseAllDocuments } from 'yaml';

const FOLDER = 'docs/rules';
const CONTEXT_LINES = 2;

const SEVERITIES = {
  error: 'will be refused, or cannot work',
  warning: 'works, until the day that the rule names',
  note: 'worth knowing; never counted',
};

const GROUPS = {
  alb: 'Load balancer',
  k8s: 'Kubernetes',
  lws: 'LeaderWorkerSet',
  monitoring: 'Monitoring',
  security: 'Security',
  vllm: 'vLLM',
};

async function load() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/rules/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const fileOf = (id) => `${id.replace('/', '-')}.md`;
/** A first word that is a name, or code, stays as it is written. */
const sentence = (text) => {
  const start = /^[a-z]+[,;:]?(?= )/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(start) ? start : `${start}.`;
};
const cell = (text) => text.replaceAll('|', '\\|');
/** Placeholders are no markup. */
const prose = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[<>*]/g, '\\$&')))
    .join('');

/** Lines of both texts: `-` of the first alone, `+` of the second alone. */
function diff(before, after) {
  const [a, b] = [before, after].map((text) => text.trimEnd().split('\n'));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [ours, theirs] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  // lengths[i][j]: most lines in common behind line i of ours and line j of theirs.
  const lengths = Array.from({ length: ours.length + 1 }, () => new Array(theirs.length + 1).fill(0));
  for (let i = ours.length - 1; i >= 0; i -= 1) {
    for (let j = theirs.length - 1; j >= 0; j -= 1) {
      lengths[i][j] =
        ours[i] === theirs[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const lines = a.slice(0, start).map((line) => ` ${line}`);
  let [i, j] = [0, 0];
  while (i < ours.length || j < theirs.length) {
    if (i < ours.length && j < theirs.length && ours[i] === theirs[j]) {
      lines.push(` ${ours[i]}`);
      i += 1;
      j += 1;
    } else if (j >= theirs.length || (i < ours.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      lines.push(`-${ours[i]}`);
      i += 1;
    } else {
      lines.push(`+${theirs[j]}`);
      j += 1;
    }
  }
  return [...lines, ...a.slice(a.length - end).map((line) => ` ${line}`)];
}

/** The changed lines with a few around them. */
function hunks(lines) {
  const isNear = (at) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some((line) => !line.startsWith(' '));
  const kept = lines.map((line, at) => (isNear(at) ? line : undefined));
  return kept.flatMap((line, at) => {
    if (line !== undefined) return [line];
    return at > 0 && kept[at - 1] !== undefined && kept.slice(at).some((later) => later !== undefined) ? [' …'] : [];
  });
}

const fence = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

function clusterOf({ kubernetes, lws }) {
  const parts = [kubernetes && `Kubernetes ${kubernetes}`, lws && `LWS ${lws}`].filter(Boolean);
  return `a cluster with ${parts.join(' and ')}`;
}

function page(rule, runRules) {
  const { id, severity, title, why, fix, holds, source, bad, badTarget, good } = rule;
  const objects = parseAllDocuments(bad).map((document) => document.toJS());
  const said = runRules(objects, badTarget ?? {}, [rule]).map(
    ({ object, path, what }) => `${object.kind}/${object.metadata.name} ${path}\n  ${what}`,
  );
  const changed = diff(bad, good).filter((line) => !line.startsWith(' ')).length;
  const facts = [
    ['Severity', `**${severity}**: ${SEVERITIES[severity]}`],
    ['Holds for', holds && prose(holds)],
    ['Source', prose(source)],
  ].filter(([, text]) => text);
  return `<!-- Made by \`npm run docs\` from src/rules: edit the rule there. -->

# ${id}

${prose(sentence(title))}

${facts.map(([name, text]) => `- ${name}: ${text}`).join('\n')}

## Why

${prose(sentence(why))}

## What to do

${prose(sentence(fix))}

## Bad

${badTarget ? `On ${clusterOf(badTarget)}:\n\n` : ''}${fence('yaml', bad)}

\`check\` says:

${fence('text', said.join('\n'))}

## Good

${changed === 0 ? 'The same manifest on a cluster that has what it needs.' : fence('diff', hunks(diff(bad, good)).join('\n'))}

[All rules](README.md)
`;
}

function listPage(rules) {
  const names = [...new Set(rules.map(({ id }) => id.split('/')[0]))];
  const table = (group) =>
    [
      '| Rule | Severity | Finds |',
      '| --- | --- | --- |',
      ...rules
        .filter(({ id }) => id.startsWith(`${group}/`))
        .map(({ id, severity, title }) => `| [${id}](${fileOf(id)}) | ${severity} | ${cell(prose(title))} |`),
    ].join('\n');
  return `<!-- Made by \`npm run docs\` from src/rules: edit the rules there. -->

# Rules

${rules.length} rules look at Kubernetes manifests that run vLLM, whoever wrote them: at every synthesis, as the cdk8s validation
plugin \`VllmValidation\`, and in \`cdk8s-vllm check\`.

${Object.entries(SEVERITIES)
  .map(([name, text]) => `- **${name}**: ${text}.`)
  .join('\n')}

What is not known (an image of nobody's release, a value that a Secret fills, a command that cannot be read) is not judged, or gives
a note in place of an error.

A finding is accepted on its object, with a reason: \`Findings.accept(construct, 'group/name', 'reason')\`, or the annotation
\`accept.cdk8s-vllm/group.name: reason\` by hand. The warnings of the planner, \`fit/…\`, are in [plan.md](../plan.md).

${names.map((group) => `## ${GROUPS[group] ?? group}\n\n${table(group)}`).join('\n\n')}
`;
}

/** Path and text of each page. */
export async function rulePages() {
  const { RULES, runRules } = await load();
  const rules = [...RULES].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    [`${FOLDER}/README.md`]: listPage(rules),
    ...Object.fromEntries(rules.map((rule) => [`${FOLDER}/${fileOf(rule.id)}`, page(rule, runRules)])),
  };
}
