import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

const HEADER = '<!-- Generated from packages/api by `npm run reference`. Do not edit. -->\n';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const typeOf = (schema: StructuralSchema): string => {
  if (schema['x-kubernetes-int-or-string']) return 'int or string';
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') {
    return `map to ${typeOf(schema.additionalProperties)}`;
  }
  return schema.format ?? schema.type ?? 'any';
};

/** Limits of a value, beyond its type. */
const limitsOf = (schema: StructuralSchema): readonly string[] => {
  const { enum: values, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  return [
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`]),
    ...(values === undefined
      ? []
      : [`One of ${values.map((value) => `\`${value}\``).join(', ')}.`]),
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
    ...(minLength === undefined
      ? []
      : [minLength === 1 ? 'Not empty.' : `At least ${minLength} characters.`]),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems} items.`]),
    ...(pattern === undefined ? [] : [`Matches \`${pattern}\`.`]),
    ...(schema['x-kubernetes-validations'] ?? []).flatMap(({ message }) =>
      message === undefined ? [] : [`Rule: ${message}.`],
    ),
  ];
};

/** The fields of an object, each followed by those within it. */
const rowsOf = (schema: StructuralSchema, path: string): readonly string[] => {
  const requiredFields = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const about = [field.description ?? '', ...limitsOf(field)].join(' ').trim();
    const type = `${typeOf(field)}${requiredFields.has(name) ? ', required' : ''}`;
    const inner = field.items ?? field.additionalProperties;
    const within =
      typeof inner === 'object' ? rowsOf(inner, `${at}${field.items ? '[]' : '.*'}`) : [];
    return [`| \`${at}\` | ${cell(type)} | ${cell(about)} |`, ...rowsOf(field, at), ...within];
  });
};

const fieldsOf = (title: string, schema: StructuralSchema | undefined): string =>
  schema === undefined
    ? ''
    : `\n## ${title}\n\n${schema.description ?? ''}\n\n| field | type | about |\n| --- | --- | --- |\n${rowsOf(schema, '').join('\n')}\n`;

const spellingsOf = ({ definition: { otherSpellings = {} } }: Kind): string => {
  const rows = Object.entries(otherSpellings).map(
    ([field, others]) => `| \`${field}\` | ${others.map((other) => `\`${other}\``).join(', ')} |`,
  );
  return rows.length === 0
    ? ''
    : `\n## Other spellings\n\nAccepted on input; the canonical one is stored.\n\n| field | also |\n| --- | --- |\n${rows.join('\n')}\n`;
};

const columnsOf = ({ definition: { columns = [] } }: Kind): string => {
  const rows = columns.map(
    ({ name, path, doc, priority = 0 }) =>
      `| ${name}${priority > 0 ? ' (wide)' : ''} | \`${path}\` | ${cell(doc)} |`,
  );
  return rows.length === 0
    ? ''
    : `\n## Columns of \`kubectl get\`\n\n| column | field | about |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
};

const fileOf = ({ group, plural }: Kind): string => `kinds/${group}_${plural}.md`;

const pageOf = (kind: Kind): string => {
  const { group, version, plural, scope } = kind;
  const { doc, shortNames = [] } = kind.definition;
  const names = [plural, ...shortNames].map((name) => `\`${name}\``).join(', ');
  return `${HEADER}
# ${kind.kind}

${doc}

| | |
| --- | --- |
| apiVersion | \`${group}/${version}\` |
| names for kubectl | ${names}, \`${plural}.${group}\` |
| scope | ${scope === 'Cluster' ? 'the whole control plane' : 'a namespace'} |
${fieldsOf('spec', kind.schema.properties?.spec)}${fieldsOf('status', kind.schema.properties?.status)}${columnsOf(kind)}${spellingsOf(kind)}`;
};

/** The text of each page by its name below docs/reference. */
export const kindReference = (): ReadonlyMap<string, string> => {
  const rows = allKinds.map(
    (kind) =>
      `| [${kind.kind}](${fileOf(kind)}) | \`${kind.group}/${kind.version}\` | ${cell(kind.definition.doc)} |`,
  );
  const index = `${HEADER}
# Every kind

| kind | apiVersion | about |
| --- | --- | --- |
${rows.join('\n')}
`;
  return new Map([
    ['kinds.md', index],
    ...allKinds.map((kind) => [fileOf(kind), pageOf(kind)] as const),
  ]);
};
