import type { JsonObject } from '@perigee/schema/json';
import { filled, textAt } from '@perigee/schema/json-fields';

/** The spec with the list of addresses of a service that has the first one alone. */
export const withAddressList = (spec: JsonObject): JsonObject =>
  textAt(spec, 'clusterIP') === ''
    ? spec
    : filled(spec, { clusterIPs: [textAt(spec, 'clusterIP')] });
