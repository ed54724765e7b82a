import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { Dice } from './dice.ts';
import type { Change } from './operation.ts';

const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const jsonSteps = (dice: Dice, { path, value }: Change): readonly JsonObject[] => {
  const pointer = pointerOf(path);
  if (value === undefined) return [{ op: 'remove', path: pointer }];
  const op = dice.weighted({ add: 6, replace: 3, test: 1 });
  return [{ op, path: pointer, value }];
};

const ODD_STEPS: readonly JsonObject[] = [
  { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
  { op: 'move', from: '/metadata/labels/a', path: '/metadata/labels/c' },
  { op: 'remove', path: '/metadata/labels' },
  { op: 'remove', path: '/nowhere/to/be/found' },
  { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/z' },
  { op: 'remove', path: '/metadata/finalizers/0' },
  { op: 'remove', path: '/metadata/ownerReferences/5' },
  { op: 'test', path: '/metadata/labels/a', value: '1' },
  { op: 'invent', path: '/metadata' },
  { op: 'remove', path: '/metadata/managedFields' },
  { op: 'replace', path: '', value: {} },
  { op: 'remove', path: '' },
  { op: 'test', path: '/metadata/annotations/note', value: '<a> & b' },
];

export const jsonPatch = (dice: Dice, changes: readonly Change[]): JsonValue => {
  const steps = changes.flatMap((change) => jsonSteps(dice, change));
  return dice.happens(0.3) ? [...steps, dice.pick(ODD_STEPS)] : steps;
};

const withMember = (patch: JsonObject, path: readonly string[], value: JsonValue): JsonObject => {
  const [key, ...rest] = path;
  if (key === undefined) return patch;
  if (rest.length === 0) return { ...patch, [key]: value };
  const inner = patch[key];
  return { ...patch, [key]: withMember(isJsonObject(inner) ? inner : {}, rest, value) };
};

export const mergePatch = (changes: readonly Change[]): JsonObject =>
  changes.reduce<JsonObject>(
    (patch, { path, value }) => withMember(patch, path, value === undefined ? null : value),
    {},
  );

const keyOf = (item: JsonObject): JsonObject => {
  const [key = 'name'] = ['name', 'uid', 'type', 'port', 'containerPort', 'key', 'ip'].filter(
    (name) => item[name] !== undefined,
  );
  return { [key]: item[key] ?? 'x' };
};

/** Says about a list what strategic merge patches can say and others cannot. */
const withDirective = (dice: Dice, change: Change): readonly Change[] => {
  const { path, value } = change;
  const parent = path.slice(0, -1);
  const name = path.at(-1) ?? '';
  if (isJsonObject(value)) {
    return dice.happens(0.5)
      ? [{ path, value: { ...value, $patch: dice.pick(['replace', 'delete', 'merge', 'odd']) } }]
      : [{ path, value: { ...value, $retainKeys: Object.keys(value) } }];
  }
  if (!Array.isArray(value) || value.length === 0) return [change];
  const items: readonly JsonValue[] = value;
  if (!items.every(isJsonObject)) {
    const directive = dice.pick(['$deleteFromPrimitiveList', '$setElementOrder']);
    return [{ path: [...parent, `${directive}/${name}`], value }];
  }
  switch (dice.below(3)) {
    case 0:
      return [{ path, value: items.map((item) => ({ ...keyOf(item), $patch: 'delete' })) }];
    case 1:
      return [{ path, value: [...items, { $patch: 'replace' }] }];
    default:
      return [
        change,
        { path: [...parent, `$setElementOrder/${name}`], value: items.map(keyOf).reverse() },
      ];
  }
};

export const strategicPatch = (dice: Dice, changes: readonly Change[]): JsonObject =>
  mergePatch(
    changes.flatMap((change) => (dice.happens(0.25) ? withDirective(dice, change) : [change])),
  );
