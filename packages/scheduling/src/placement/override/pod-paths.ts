import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { readPointer } from './edit-pointer.ts';

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
export const containersOf = (
  object: JsonObject,
): readonly { readonly path: string; readonly container: JsonObject }[] => {
  const podSpec = POD_SPECS[String(object.kind)];
  const containers = podSpec === undefined ? [] : readPointer(object, `${podSpec}/containers`);
  if (!Array.isArray(containers)) return [];
  return containers.flatMap((container, index) =>
    isJsonObject(container) ? [{ path: `${podSpec}/containers/${index}`, container }] : [],
  );
};
