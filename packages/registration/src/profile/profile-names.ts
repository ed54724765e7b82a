import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { present } from '@perigee/schema/present';
import type { StructuralSchema } from '@perigee/schema/structural/structural-schema';

/** Each part of the record with its name in a profile. */
const ROOTS: readonly (readonly [string, string])[] = [
  ['metadata.name', 'cluster_name'],
  ['metadata.labels', 'cluster_labels'],
  ['metadata.uid', 'cluster_id'],
  ['metadata', 'cluster_name'],
  ['spec', 'cluster_spec'],
  ['status', 'cluster_status'],
];

/** The name of the outermost object in messages. */
export const PROFILE = 'cluster_profile';

/** A schema node of the kind, with the profile name of each of its fields. */
export interface NamedSchema {
  readonly schema: StructuralSchema;
  readonly fields: ReadonlyMap<string, { readonly shownAs: string; readonly node: NamedSchema }>;
  readonly items?: NamedSchema;
}

/** The first alternative spelling of a field is the name that the Global Resource Scheduler uses. */
const SHOWN_AS: ReadonlyMap<string, string> = new Map(
  Object.entries(ClusterRecord.definition.otherSpellings ?? {}).flatMap(([path, [first]]) =>
    first === undefined ? [] : [[path, first]],
  ),
);

const namedSchema = (schema: StructuralSchema, path: string): NamedSchema => {
  const properties = Object.entries(schema.properties ?? {});
  const fields = properties.map(([name, property]) => {
    const at = `${path}.${name}`;
    return [name, { shownAs: SHOWN_AS.get(at) ?? name, node: namedSchema(property, at) }] as const;
  });
  const items = present({ items: schema.items && namedSchema(schema.items, `${path}[]`) });
  return { schema, fields: new Map(fields), ...items };
};

const part = (name: 'spec' | 'status'): NamedSchema =>
  namedSchema(ClusterRecord.schema.properties?.[name] ?? {}, name);

/** The schema of the spec, with profile names. */
export const SPEC_NAMES: NamedSchema = part('spec');
export const STATUS_NAMES: NamedSchema = part('status');

const STEP = /[^.[\]]+|\[[^[\]]*\]/g;

/** Renames the steps of a path below a part of the record; unknown steps stay as they are. */
const renamedSteps = (
  path: string,
  root: NamedSchema,
  find: (node: NamedSchema, step: string) => readonly [string, NamedSchema] | undefined,
): string => {
  let node: NamedSchema | undefined = root;
  let result = '';
  for (const step of path.match(STEP) ?? []) {
    if (step.startsWith('[')) {
      result += step;
      node = node?.items;
      continue;
    }
    const namedStep: readonly [string, NamedSchema] | undefined = node && find(node, step);
    result += `.${namedStep?.[0] ?? step}`;
    node = namedStep?.[1];
  }
  return result;
};

const profileStep = ({ fields }: NamedSchema, step: string) => {
  const field = fields.get(step);
  return field && ([field.shownAs, field.node] as const);
};

const recordStep = ({ fields }: NamedSchema, step: string) => {
  const match = [...fields].find(([name, { shownAs }]) => name === step || shownAs === step);
  return match && ([match[0], match[1].node] as const);
};

const namesOf = (part: string): NamedSchema => (part === 'spec' ? SPEC_NAMES : STATUS_NAMES);

const startsWith = (path: string, root: string): boolean =>
  path.startsWith(root) && /^($|[.[])/.test(path.slice(root.length));

/** `spec.flavors[0].totalCapacity` of the record as `cluster_profile.cluster_spec.flavors[0].TotalCapacity`. */
export const profilePath = (path: string): string => {
  const root = ROOTS.find(([of]) => startsWith(path, of));
  if (root === undefined) return path;
  const [of, as] = root;
  return `${PROFILE}.${as}${renamedSteps(path.slice(of.length), namesOf(of), profileStep)}`;
};

/** The inverse of `profilePath`, for selectors; a path of the record stays as it is. */
export const recordPath = (path: string): string => {
  const inside = path.startsWith(`${PROFILE}.`) ? path.slice(PROFILE.length + 1) : path;
  const root = ROOTS.find(([, as]) => startsWith(inside, as));
  if (root === undefined) return path;
  const [of, as] = root;
  return `${of}${renamedSteps(inside.slice(as.length), namesOf(of), recordStep)}`;
};
