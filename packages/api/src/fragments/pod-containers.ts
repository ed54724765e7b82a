import {
  anyObject,
  int32,
  list,
  listMap,
  object,
  oneOf,
  open,
  string,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { resourceRequirements } from './pod-resources.ts';
import { volumeMounts } from './pod-volumes.ts';

export const envVars = (description: string) =>
  listMap(
    description,
    ['name'],
    object('An environment variable.', {
      name: string('The name of the variable.', { minLength: 1 }),
      value: optional(string('The value; $(NAME) stands for the value of an earlier variable.')),
      valueFrom: optional(
        anyObject('Where the value comes from: a ConfigMap, a Secret or a field of the pod.'),
      ),
    }),
  );

const port = (description: string) =>
  int32(description, {
    minimum: 1,
    maximum: 65535,
  });

const ports = (description: string) =>
  listMap(
    description,
    ['containerPort', 'protocol'],
    open(
      object('A port that the container listens on.', {
        containerPort: port('The number of the port.'),
        protocol: withDefault('TCP', oneOf('The protocol.', ['TCP', 'UDP', 'SCTP'])),
        name: optional(string('The name that services refer to.', { maxLength: 15 })),
        hostPort: optional(port('The port of the node that leads here.')),
      }),
    ),
  );

/**
 * Containers, keyed by name. What users often get wrong is checked; the rest is kept as it is,
 * because the API server of the cluster that runs the pod validates all of it.
 */
export const containers = (description: string, checks: { minItems?: number } = {}) =>
  listMap(
    description,
    ['name'],
    open(
      object('One container of the pod.', {
        name: string('The name, unique in the pod.', {
          maxLength: 63,
          pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        }),
        image: string('The image to run.', { minLength: 1 }),
        imagePullPolicy: optional(
          oneOf('When the image is fetched.', ['Always', 'Never', 'IfNotPresent']),
        ),
        command: optional(
          list('What to run in place of the image’s entry point.', string('A word.')),
        ),
        args: optional(list('The arguments of the command.', string('A word.'))),
        workingDir: optional(string('The directory that the command starts in.')),
        env: optional(envVars('The environment variables.')),
        envFrom: optional(
          list('ConfigMaps and Secrets whose entries become variables.', anyObject('A source.')),
        ),
        ports: optional(ports('The ports that the container listens on.')),
        resources: optional(resourceRequirements('What the container asks for and may use.')),
        volumeMounts: optional(volumeMounts('Where the pod’s volumes appear.')),
      }),
    ),
    checks,
  );

export type EnvVar = StoredOf<ReturnType<typeof envVars>>[number];
export type Container = StoredOf<ReturnType<typeof containers>>[number];
