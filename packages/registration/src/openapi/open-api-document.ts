import type { JsonObject } from '@perigee/schema/json';
import { CLUSTERS } from '../routes.ts';
import { get, list, register, unregister, update } from './operations.ts';
import { refTo, schemas } from './schemas.ts';

const pathOf = (by: 'Id' | 'Name'): JsonObject => {
  const name = `cluster_${by.toLowerCase()}`;
  return {
    parameters: [{ name, in: 'path', required: true, schema: refTo(`Cluster${by}`) }],
    get: get(by),
    put: update(by),
    delete: unregister(by),
  };
};

let cachedDocument: JsonObject | undefined;

/** The REST API as OpenAPI 3.1. The schema of the kind is the source of the cluster's fields. */
export const openApiDocument = (): JsonObject => {
  cachedDocument ??= {
    openapi: '3.1.0',
    info: {
      title: 'Perigee: the inventory of clusters',
      version: 'v1',
      description: 'Registers and unregisters clusters. It deploys none.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: {
      [CLUSTERS]: { get: list, post: register },
      [`${CLUSTERS}/id/{cluster_id}`]: pathOf('Id'),
      [`${CLUSTERS}/name/{cluster_name}`]: pathOf('Name'),
    },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the API server, such as one of a service account.',
        },
      },
      schemas: schemas(),
    },
  };
  return cachedDocument;
};
