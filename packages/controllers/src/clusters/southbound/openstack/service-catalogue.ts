import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { ConnectionError } from '@perigee/kube/errors';

/** What cannot be read says more about what is there than about the cloud. */
export const unintelligible = (where: string, what: string): ConnectionError =>
  new ConnectionError(
    `${where} answered without ${what}; check that it is the address of Keystone`,
    {
      failure: 'unintelligible',
    },
  );

export const objectsAt = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The address of a service that has one of these types; nothing when the cloud has no such service. */
export const endpointOf = (
  catalogue: readonly JsonObject[],
  types: readonly string[],
  region: string | undefined,
): string | undefined => {
  const endpoints = catalogue
    .filter(({ type }) => types.includes(String(type)))
    .flatMap((service) => objectsAt(service.endpoints))
    .filter((endpoint) => endpoint.interface === 'public' && typeof endpoint.url === 'string');
  const here = endpoints.filter(
    ({ region: name, region_id: id }) => region === undefined || name === region || id === region,
  );
  const [found] = here;
  return found === undefined ? undefined : String(found.url).replace(/(?<!\/)\/+$/, '');
};

/** As regions are called; whatever else a stranger writes is not repeated. */
const REGION = /^[\w.-]{1,64}$/;
const MOST_REGIONS = 20;

/** The regions that the catalogue knows. */
export const regionsOf = (catalogue: readonly JsonObject[]): readonly string[] => {
  const names = catalogue
    .flatMap((service) => objectsAt(service.endpoints))
    .flatMap(({ region_id: id, region }) => {
      const name = id ?? region;
      return typeof name === 'string' && REGION.test(name) ? [name] : [];
    });
  return [...new Set(names)].sort().slice(0, MOST_REGIONS);
};
