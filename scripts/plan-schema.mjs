import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What `plan -o json` prints. */
export function planSchema() {
  return schemaOfType(`${root}src/cli/plan/document.ts`, 'PlanDocument', 'What `cdk8s-vllm plan -o json` prints');
}

/** What `check -o json` prints. */
export function checkSchema() {
  return schemaOfType(`${root}src/cli/check/json.ts`, 'CheckDocument', 'What `cdk8s-vllm check -o json` prints');
}

/** What `rehearse -o json` prints. */
export function rehearsalSchema() {
  const title = 'What `cdk8s-vllm rehearse -o json` prints';
  return schemaOfType(`${root}src/operate/rehearse/report.ts`, 'RehearsalReport', title);
}

/** What `rehearse --drill -o json` prints. */
export function drillSchema() {
  const title = 'What `cdk8s-vllm rehearse --drill -o json` prints';
  return schemaOfType(`${root}src/operate/rehearse/drill/report.ts`, 'DrillReport', title);
}

/** What `smoke -o json` prints. */
export function smokeSchema() {
  return schemaOfType(`${root}src/operate/smoke/report.ts`, 'SmokeReport', 'What `cdk8s-vllm smoke -o json` prints');
}

/** What `prove -o json` prints. */
export function proveSchema() {
  return schemaOfType(`${root}src/operate/prove/report.ts`, 'ProveReport', 'What `cdk8s-vllm prove -o json` prints');
}

/**
 * A type as JSON Schema: what the compiler knows of it, with the doc comments as descriptions. It understands what these types
 * are made of, and throws at anything else.
 */
function schemaOfType(file, name, title) {
  const program = ts.createProgram([file], { strict: true, noEmit: true, lib: ['lib.es2023.d.ts'], types: [] });
  const checker = program.getTypeChecker();
  const definitions = {};
  const source = program.getSourceFile(file);
  const declared = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
  const type = checker.getTypeAtLocation(declared);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description: documentation(type.symbol),
    ...objectSchema(type),
    $defs: Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
  };

  function schemaOf(type) {
    if (type.isUnion()) return unionSchema(type.types);
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0]) };
    if (type.isClassOrInterface()) {
      const { name } = type.symbol;
      if (!(name in definitions)) {
        definitions[name] = undefined;
        definitions[name] = withDescription(objectSchema(type), documentation(type.symbol));
      }
      return { $ref: `#/$defs/${name}` };
    }
    if (type.flags & ts.TypeFlags.Object && checker.getSignaturesOfType(type, ts.SignatureKind.Call).length === 0) {
      return objectSchema(type);
    }
    throw new Error(`no JSON Schema for the type ${checker.typeToString(type)}`);
  }

  function unionSchema(types) {
    // The compiler takes boolean apart into true and false, and an optional property has undefined beside its type.
    const booleans = types.filter((type) => type.flags & ts.TypeFlags.BooleanLiteral);
    const others = types.filter((type) => !(type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.BooleanLiteral)));
    const words = others.filter((type) => type.isStringLiteral());
    const schemas = [
      ...(booleans.length > 0 ? [{ type: 'boolean' }] : []),
      ...(words.length > 0 ? [{ enum: words.map(({ value }) => value) }] : []),
      ...others.filter((type) => !type.isStringLiteral()).map(schemaOf),
    ];
    return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  }

  function objectSchema(type) {
    const properties = {};
    const required = [];
    for (const property of checker.getPropertiesOfType(type)) {
      const schema = schemaOf(checker.getTypeOfSymbol(property));
      properties[property.name] = withDescription(schema, documentation(property));
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
    }
    return { type: 'object', properties, ...(required.length > 0 && { required }) };
  }

  function documentation(symbol) {
    return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s*\n\s*/g, ' ');
  }

  function withDescription(schema, description) {
    return description === '' ? schema : { description, ...schema };
  }
}
