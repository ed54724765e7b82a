import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { StructuralSchema } from '@perigee/api/schema/structural';

/** The part of the profile that each part of the record is shown as. */
const ROOTS: readonly (readonly [string, string])[] = [
  ['metadata.name', 'cluster_name'],
  ['metadata.labels', 'cluster_labels'],
  ['metadata.uid', 'cluster_id'],
  ['metadata', 'cluster_name'],
  ['spec', 'cluster_spec'],
  ['status', 'cluster_status'],
];

/** The object around everything, as messages name it. */
export const PROFILE = 'cluster_profile';

/** A node of the kind's schema, with the name that each of its fields has in a profile. */
export interface NamedSchema {
  readonly schema: StructuralSchema;
  readonly fields: ReadonlyMap<string, { readonly shownAs: string; readonly node: NamedSchema }>;
  readonly items?: NamedSchema;
}

/** The first of the other spellings of a field is the one of the Global Resource Scheduler. */
const SHOWN_AS: ReadonlyMap<string, string> = new Map(
  Object.entries(ClusterRecord.definition.otherSpellings ?? {}).flatMap(([path, [first]]) =>
    first === undefined ? [] : [[path, first]],
  ),
);

const named = (schema: StructuralSchema, path: string): NamedSchema => {
  const properties = Object.entries(schema.properties ?? {});
  const fields = properties.map(([name, property]) => {
    const at = `${path}.${name}`;
    return [name, { shownAs: SHOWN_AS.get(at) ?? name, node: named(property, at) }] as const;
  });
  const items = schema.items === undefined ? {} : { items: named(schema.items, `${path}[]`) };
  return { schema, fields: new Map(fields), ...items };
};

const part = (name: 'spec' | 'status'): NamedSchema =>
  named(ClusterRecord.schema.properties?.[name] ?? {}, name);

/** What the administrator says about a cluster, in the names of a profile. */
export const SPEC_NAMES: NamedSchema = part('spec');
export const STATUS_NAMES: NamedSchema = part('status');

const STEP = /[^.[\]]+|\[[^[\]]*\]/g;

/** Renames the steps of a path below a part of the record; what is no field of it stays as it is. */
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
    const found: readonly [string, NamedSchema] | undefined = node && find(node, step);
    result += `.${found?.[0] ?? step}`;
    node = found?.[1];
  }
  return result;
};

const shown = ({ fields }: NamedSchema, step: string) => {
  const field = fields.get(step);
  return field && ([field.shownAs, field.node] as const);
};

const meant = ({ fields }: NamedSchema, step: string) => {
  const found = [...fields].find(([name, { shownAs }]) => name === step || shownAs === step);
  return found && ([found[0], found[1].node] as const);
};

const namesOf = (part: string): NamedSchema => (part === 'spec' ? SPEC_NAMES : STATUS_NAMES);

const startsWith = (path: string, root: string): boolean =>
  path.startsWith(root) && /^($|[.[])/.test(path.slice(root.length));

/** `spec.flavors[0].totalCapacity` of the record as `cluster_profile.cluster_spec.flavors[0].TotalCapacity`. */
export const profilePath = (path: string): string => {
  const root = ROOTS.find(([of]) => startsWith(path, of));
  if (root === undefined) return path;
  const [of, as] = root;
  return `${PROFILE}.${as}${renamedSteps(path.slice(of.length), namesOf(of), shown)}`;
};

/** The other way round, for selectors; a path of the record stays as it is. */
export const recordPath = (path: string): string => {
  const inside = path.startsWith(`${PROFILE}.`) ? path.slice(PROFILE.length + 1) : path;
  const root = ROOTS.find(([, as]) => startsWith(inside, as));
  if (root === undefined) return path;
  const [of, as] = root;
  return `${of}${renamedSteps(inside.slice(as.length), namesOf(of), meant)}`;
};
