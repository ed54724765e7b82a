import { API_VERSION, KIND, METADATA } from './meta-schemas.ts';
import { describedRef, type OpenApiSchemas } from './open-api-schema.ts';

const AUTOSCALING = 'io.k8s.api.autoscaling.v1';

export const SCALE = `${AUTOSCALING}.Scale`;

/** The kind that the `scale` subresource of any resource speaks. */
export const SCALE_SCHEMAS: OpenApiSchemas = {
  [SCALE]: {
    type: 'object',
    description: 'The number of replicas of an object, whatever its kind.',
    properties: {
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: { ...METADATA, default: {} },
      spec: { ...describedRef(`${AUTOSCALING}.ScaleSpec`, 'The number wanted.'), default: {} },
      status: { ...describedRef(`${AUTOSCALING}.ScaleStatus`, 'The number seen.'), default: {} },
    },
    'x-kubernetes-group-version-kind': [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
  },
  [`${AUTOSCALING}.ScaleSpec`]: {
    type: 'object',
    description: 'The number wanted.',
    properties: {
      replicas: { type: 'integer', format: 'int32', description: 'How many there should be.' },
    },
  },
  [`${AUTOSCALING}.ScaleStatus`]: {
    type: 'object',
    description: 'The number seen.',
    required: ['replicas'],
    properties: {
      replicas: {
        type: 'integer',
        format: 'int32',
        description: 'How many there are.',
        default: 0,
      },
      selector: { type: 'string', description: 'A label selector of the pods that are counted.' },
    },
  },
};
