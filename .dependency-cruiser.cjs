/* The arrows of docs/architecture.md: every layer may use itself and the layers below it, nothing else. */
const layers = {
  '^src/common/': [],
  '^src/(model|hardware)/': ['^src/common/'],
  '^src/balancer/': ['^src/common/'],
  '^src/engine/': ['^src/(common|hardware)/'],
  '^src/bootstrap/': ['^src/(common|hardware)/'],
  '^src/manifest/': ['^src/(common|engine)/'],
  '^src/fit/': ['^src/(common|model|hardware|engine)/'],
  '^src/rules/': ['^src/(balancer|common|fit|manifest|model|hardware|engine)/'],
  '^src/operate/': ['^src/(common|rules|fit|manifest|model|hardware|engine)/'],
  '^src/constructs/': ['^src/(balancer|common|rules|fit|manifest|model|hardware|engine)/', '^imports/'],
  '^src/index\\.ts$': ['^src/'],
  '^src/cli/': ['^src/'],
  '^imports/': [],
  '^chat/': [],
};

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(layers).map(([from, allowed]) => ({
      name: `layer ${from}`,
      severity: 'error',
      from: { path: from },
      to: { path: '^(src|imports|chat)/', pathNot: [from, ...allowed] },
    })),
    {
      name: 'library-dependencies',
      comment:
        'what jsii compiles may load cdk8s and constructs; everything else is types only, or in a bundle of its own (cli, bootstrap)',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|operate|bootstrap)/' },
      to: { dependencyTypes: ['npm', 'npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
