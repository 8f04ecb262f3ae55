import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { fieldTable } from './docs-plan.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a line of TypeScript exports, such as the printers of a command. */
export function bundled(contents) {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** The fields of a report: its own, then those of each type in it. */
export function fields({ properties, required, $defs }) {
  const types = Object.entries($defs).filter(([, { properties: own }]) => own !== undefined);
  return [
    fieldTable(properties, required, $defs),
    ...types.map(
      ([name, { description, properties: own, required: needed }]) =>
        `### ${name}\n\n${description === undefined ? '' : `${description}\n\n`}${fieldTable(own, needed ?? [], $defs)}`,
    ),
  ].join('\n\n');
}

/** The end of the page of a command that prints one report. */
export function jsonSection(command, schema) {
  return `## JSON

\`-o json\` prints one object. Its form is [${command}.schema.json](${command}.schema.json) (JSON Schema). When it could not be tried, it is \`{ "error": "…" }\`.

${fields(schema)}`;
}
