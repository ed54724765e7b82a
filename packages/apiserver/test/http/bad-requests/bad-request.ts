import type { JsonValue } from '@perigee/schema/json';

/** A request that no API server should do what it says. */
export interface BadRequest {
  readonly name: string;
  /** GET unless given. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  /** Bytes as they are, or a value to be sent as JSON. */
  readonly body?: JsonValue | Buffer;
}

/** The recorded part of an answer: fields of its Status, or the text if it is none. */
export interface Answer {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: JsonValue;
  readonly text?: string;
}

export const NAMESPACE = 'perigee-bad';
export const GROUP = 'bad.perigee.example';

export const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
export const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
export const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
export const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
export const WIDGETS = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets`;

export const JSON_TYPE = { 'content-type': 'application/json' };
export const YAML_TYPE = { 'content-type': 'application/yaml' };
export const PROTOBUF_TYPE = { 'content-type': 'application/vnd.kubernetes.protobuf' };

export const configMap = (metadata: JsonValue, rest: { [field: string]: JsonValue } = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...rest,
});

export const widget = (metadata: JsonValue, spec: JsonValue = { size: 1 }) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata,
  spec,
});

export const deployment = (name: string, spec: { [field: string]: JsonValue } = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
    ...spec,
  },
});
