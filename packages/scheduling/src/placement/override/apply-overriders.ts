import type {
  CommandArgsOverrider,
  FieldOverrider,
  ImageOverrider,
  LabelAnnotationOverrider,
  Overriders,
} from '@perigee/api/kinds/placement/overriders';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { OverrideError } from '../../errors.ts';
import { objectIn } from '../../interpreter/fields.ts';
import type { WordsField } from '../work/words.ts';
import { Draft } from './draft.ts';
import { addWords, wordPath } from './draft-words.ts';
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

/** So many characters to read and write cost as much as an edit. */
const JSON_PER_STEP = 20;
const YAML_PER_STEP = 4;

/** The containers of supported kinds, with their JSON pointers. */
const containersOf = (
  draft: Draft,
): readonly { readonly path: string; readonly container: JsonObject }[] => {
  const podSpec = POD_SPECS[String(draft.read('/kind'))];
  const containers = podSpec === undefined ? [] : draft.read(`${podSpec}/containers`);
  if (!Array.isArray(containers)) return [];
  draft.count(containers.length);
  return containers.flatMap((container, index) =>
    isJsonObject(container) ? [{ path: `${podSpec}/containers/${index}`, container }] : [],
  );
};

/** YAML codec, injected because this package has no parser. */
export interface YamlFormat {
  readonly parse: (text: string) => JsonValue;
  readonly format: (value: JsonValue) => string;
}

const changeImages = (draft: Draft, overrider: ImageOverrider): void => {
  const { predicate } = overrider;
  const paths =
    predicate === undefined
      ? containersOf(draft).map(({ path }) => `${path}/image`)
      : [predicate.path];
  for (const path of paths) {
    const image = draft.read(path);
    if (typeof image !== 'string') throw new OverrideError(`there is no image at ${path}`);
    draft.edit({ operator: 'replace', path, value: overrideImage(image, overrider) });
  }
};

const changeWords = (
  field: 'command' | 'args',
  draft: Draft,
  { containerName, operator, value = [] }: CommandArgsOverrider,
): void => {
  for (const { path, container } of containersOf(draft)) {
    if (container.name !== containerName) continue;
    const items = Array.isArray(container[field]) ? container[field].map(String) : [];
    const removedWords = new Set(value);
    const words =
      operator === 'add' ? [...items, ...value] : items.filter((word) => !removedWords.has(word));
    draft.count(words.reduce((sum, word) => sum + 1 + word.length / JSON_PER_STEP, 0));
    draft.edit({ operator: 'add', path: `${path}/${field}`, value: words });
  }
};

const changeMetadata = (
  field: WordsField,
  draft: Draft,
  { operator, value }: LabelAnnotationOverrider,
): void => {
  const words = objectIn(draft.value as JsonObject, 'metadata', field);
  const entries = Object.entries(value).filter(
    ([key]) => operator === 'add' || Object.hasOwn(words, key),
  );
  if (operator !== 'remove') addWords(draft, field, entries);
  else for (const [key] of entries) draft.edit({ operator, path: wordPath(field, key) });
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
  draft: Draft,
  { fieldPath, json = [], yaml = [] }: FieldOverrider,
  yamlFormat: YamlFormat,
): void => {
  const text = draft.read(fieldPath);
  if (typeof text !== 'string') throw new OverrideError(`there is no text at ${fieldPath}`);
  const format = yaml.length > 0 ? yamlFormat : undefined;
  const edits = yaml.length > 0 ? yaml : json;
  draft.count(text.length / (format === undefined ? JSON_PER_STEP : YAML_PER_STEP));
  const document = new Draft(parseDocument(text, format));
  for (const { subPath, operator, value } of edits) {
    document.edit({ operator, path: subPath, value });
  }
  const newText = format?.format(document.value) ?? JSON.stringify(document.value);
  draft.edit({ operator: 'replace', path: fieldPath, value: newText });
};

/** Applies all overriders of a rule, in upstream's order. */
export const applyOverriders = (draft: Draft, overriders: Overriders, yaml: YamlFormat): void => {
  for (const one of overriders.imageOverrider ?? []) changeImages(draft, one);
  for (const one of overriders.commandOverrider ?? []) changeWords('command', draft, one);
  for (const one of overriders.argsOverrider ?? []) changeWords('args', draft, one);
  for (const one of overriders.labelsOverrider ?? []) changeMetadata('labels', draft, one);
  for (const one of overriders.annotationsOverrider ?? []) {
    changeMetadata('annotations', draft, one);
  }
  for (const one of overriders.fieldOverrider ?? []) changeDocument(draft, one, yaml);
  for (const one of overriders.plaintext ?? []) draft.edit(one);
};
