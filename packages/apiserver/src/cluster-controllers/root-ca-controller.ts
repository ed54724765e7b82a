import type { WrittenObjectOf } from '@perigee/api/meta/resource-kind';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { inEveryNamespace, type NamespaceFixture } from './in-every-namespace.ts';

const DESCRIPTION = {
  'kubernetes.io/description':
    'The certificate authority of this API server, for pods to know it by. Use it for nothing else.',
};

/** The certificates by which the pods of a namespace know the API server. */
export const rootCaFixture = (authority: string): NamespaceFixture => {
  const data = { 'ca.crt': authority };
  const shape = (configMap: WrittenObjectOf<typeof ConfigMap>) => {
    const { annotations = {} } = configMap.metadata;
    const isDescribed = Object.keys(DESCRIPTION).every((name) => name in annotations);
    if (isDescribed && sameJson((configMap.data ?? {}) as JsonValue, data)) return configMap;
    const metadata = { ...configMap.metadata, annotations: { ...DESCRIPTION, ...annotations } };
    return { ...configMap, metadata, data };
  };
  return {
    controller: 'root-ca-certificate-publisher',
    kind: ConfigMap,
    name: 'kube-root-ca.crt',
    shape,
  };
};

/** Gives every namespace the certificates by which its pods know the API server. */
export const rootCaController = (authority: string): ControllerDefinition =>
  inEveryNamespace(rootCaFixture(authority));
