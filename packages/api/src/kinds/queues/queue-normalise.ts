import { type FieldError, InvalidObjectError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { mapObject, without } from '../../kind/reshape.ts';

const HIERARCHY = 'volcano.sh/hierarchy';
const WEIGHTS = 'volcano.sh/hierarchy-weights';

const fieldOf = (annotation: string): string => `metadata.annotations[${annotation}]`;

const checkHierarchy = (path: string, weights: string): readonly FieldError[] => {
  const parts = weights.split('/');
  const wrong = parts.find((part) => !(Number(part) > 0));
  if (path.split('/').length !== parts.length) {
    return [invalid(fieldOf(WEIGHTS), weights, `must have one weight for each part of ${path}`)];
  }
  return wrong === undefined
    ? []
    : [invalid(fieldOf(WEIGHTS), weights, `the weight ${JSON.stringify(wrong)} is not above 0`)];
};

/** The older form of a queue's place: a path of queues, and their weights. It begins at the root. */
const normaliseHierarchy = (annotations: JsonObject): JsonObject => {
  const { [HIERARCHY]: path = '', [WEIGHTS]: weights = '' } = annotations;
  if (typeof path !== 'string' || typeof weights !== 'string') return annotations;
  if (path === '' && weights === '') return annotations;
  const errors = checkHierarchy(path, weights);
  if (errors.length > 0) throw new InvalidObjectError(errors);
  if (path === 'root' || path.startsWith('root/')) return annotations;
  return { ...annotations, [HIERARCHY]: `root/${path}`, [WEIGHTS]: `1/${weights}` };
};

/** Programs in Go write 0 for a weight that is not set, and an empty text for a parent. */
const normaliseSpec = (spec: JsonObject): JsonObject => {
  const weighted = spec.weight === 0 ? without(spec, 'weight') : spec;
  return weighted.parent === '' ? without(weighted, 'parent') : weighted;
};

export const normaliseQueue = (queue: JsonObject): JsonObject =>
  mapObject(
    mapObject(queue, 'metadata', (metadata) =>
      mapObject(metadata, 'annotations', normaliseHierarchy),
    ),
    'spec',
    normaliseSpec,
  );
