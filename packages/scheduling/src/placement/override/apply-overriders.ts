import type {
  CommandArgsOverrider,
  FieldOverrider,
  ImageOverrider,
  LabelAnnotationOverrider,
  Overriders,
} from '@perigee/api/kinds/placement/overriders';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { OverrideError } from '../../errors.ts';
import { editPointer, readPointer } from './edit-pointer.ts';
import { overrideImage } from './image.ts';

const IN_TEMPLATE = '/spec/template/spec';

/** The pod spec's path by kind. */
const POD_SPECS: { readonly [kind: string]: string } = {
  Pod: '/spec',
  ReplicaSet: IN_TEMPLATE,
  Deployment: IN_TEMPLATE,
  DaemonSet: IN_TEMPLATE,
  StatefulSet: IN_TEMPLATE,
  Job: IN_TEMPLATE,
};

/** The containers of supported kinds, with their JSON pointers. */
const containersOf = (
  object: JsonObject,
): readonly { readonly path: string; readonly container: JsonObject }[] => {
  const podSpec = POD_SPECS[String(object.kind)];
  const containers = podSpec === undefined ? [] : readPointer(object, `${podSpec}/containers`);
  if (!Array.isArray(containers)) return [];
  return containers.flatMap((container, index) =>
    isJsonObject(container) ? [{ path: `${podSpec}/containers/${index}`, container }] : [],
  );
};

/** YAML codec, injected because this package has no parser. */
export interface YamlFormat {
  readonly parse: (text: string) => JsonValue;
  readonly format: (value: JsonValue) => string;
}

const replaceAt = (object: JsonObject, path: string, value: JsonValue): JsonObject =>
  editPointer(object, { operator: 'replace', path, value }) as JsonObject;

const changeImages = (object: JsonObject, overrider: ImageOverrider): JsonObject => {
  const { predicate } = overrider;
  const paths =
    predicate === undefined
      ? containersOf(object).map(({ path }) => `${path}/image`)
      : [predicate.path];
  return paths.reduce((result, path) => {
    const image = readPointer(result, path);
    if (typeof image !== 'string') throw new OverrideError(`there is no image at ${path}`);
    return replaceAt(result, path, overrideImage(image, overrider));
  }, object);
};

const changeWords =
  (field: 'command' | 'args') =>
  (object: JsonObject, { containerName, operator, value = [] }: CommandArgsOverrider): JsonObject =>
    containersOf(object)
      .filter(({ container }) => container.name === containerName)
      .reduce((result, { path, container }) => {
        const items = Array.isArray(container[field]) ? container[field].map(String) : [];
        const words =
          operator === 'add' ? [...items, ...value] : items.filter((word) => !value.includes(word));
        const edit = { operator: 'add' as const, path: `${path}/${field}`, value: words };
        return editPointer(result, edit) as JsonObject;
      }, object);

const changeMetadata =
  (field: 'labels' | 'annotations') =>
  (object: JsonObject, { operator, value }: LabelAnnotationOverrider): JsonObject => {
    const metadata = isJsonObject(object.metadata) ? object.metadata : {};
    const wordsBefore = isJsonObject(metadata[field]) ? metadata[field] : {};
    const changes = Object.entries(value).filter(
      ([key]) => operator === 'add' || Object.hasOwn(wordsBefore, key),
    );
    if (changes.length === 0) return object;
    const removedKeys = new Set(operator === 'remove' ? changes.map(([key]) => key) : []);
    const remainingEntries = Object.entries(wordsBefore).filter(([key]) => !removedKeys.has(key));
    const words = Object.fromEntries([
      ...remainingEntries,
      ...(operator === 'remove' ? [] : changes),
    ]);
    return { ...object, metadata: { ...metadata, [field]: words } };
  };

const parseDocument = (text: string, yaml: YamlFormat | undefined): JsonValue => {
  try {
    return yaml === undefined ? (JSON.parse(text) as JsonValue) : yaml.parse(text);
  } catch (error) {
    throw new OverrideError(`it holds no document: ${(error as Error).message}`);
  }
};

/** Patches a JSON or YAML document inside a string field, as in ConfigMaps. */
const changeDocument = (
  object: JsonObject,
  { fieldPath, json = [], yaml = [] }: FieldOverrider,
  yamlFormat: YamlFormat,
): JsonObject => {
  const text = readPointer(object, fieldPath);
  if (typeof text !== 'string') throw new OverrideError(`there is no text at ${fieldPath}`);
  const format = yaml.length > 0 ? yamlFormat : undefined;
  const edits = yaml.length > 0 ? yaml : json;
  const document = edits.reduce(
    (document, { subPath, operator, value }) =>
      editPointer(document, { operator, path: subPath, value }),
    parseDocument(text, format),
  );
  return replaceAt(object, fieldPath, format?.format(document) ?? JSON.stringify(document));
};

/** Applies all overriders of a rule, in upstream's order. */
export const applyOverriders = (
  object: JsonObject,
  overriders: Overriders,
  yaml: YamlFormat,
): JsonObject => {
  let result = object;
  for (const one of overriders.imageOverrider ?? []) result = changeImages(result, one);
  for (const one of overriders.commandOverrider ?? []) result = changeWords('command')(result, one);
  for (const one of overriders.argsOverrider ?? []) result = changeWords('args')(result, one);
  for (const one of overriders.labelsOverrider ?? [])
    result = changeMetadata('labels')(result, one);
  for (const one of overriders.annotationsOverrider ?? []) {
    result = changeMetadata('annotations')(result, one);
  }
  for (const one of overriders.fieldOverrider ?? []) result = changeDocument(result, one, yaml);
  for (const one of overriders.plaintext ?? []) result = editPointer(result, one) as JsonObject;
  return result;
};
