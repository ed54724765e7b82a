import {
  boolean,
  listMap,
  object,
  oneOf,
  open,
  quantity,
  string,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';

/** The volumes of a pod. The common sources are checked; the many others are kept as they are. */
export const volumes = (description: string) =>
  listMap(
    description,
    ['name'],
    open(
      object('A volume: its name and one source.', {
        name: string('The name that volumeMounts refer to.', { minLength: 1, maxLength: 63 }),
        emptyDir: optional(
          open(
            object('An empty directory that lives as long as the pod.', {
              medium: optional(oneOf('Where it is kept; empty for the disk.', ['', 'Memory'])),
              sizeLimit: optional(quantity('The most that it may hold.')),
            }),
          ),
        ),
        hostPath: optional(
          open(
            object('A directory or file of the node.', {
              path: string('The path on the node.', { minLength: 1 }),
              type: optional(string('What must be found there, such as Directory.')),
            }),
          ),
        ),
        persistentVolumeClaim: optional(
          open(
            object('A claim in the pod’s namespace.', {
              claimName: string('The name of the claim.', { minLength: 1 }),
              readOnly: optional(boolean('Whether it is mounted for reading only.')),
            }),
          ),
        ),
        configMap: optional(
          open(
            object('The entries of a ConfigMap as files.', {
              name: optional(string('The name of the ConfigMap.')),
              optional: optional(boolean('Whether the pod may start without it.')),
            }),
          ),
        ),
        secret: optional(
          open(
            object('The entries of a Secret as files.', {
              secretName: optional(string('The name of the Secret.')),
              optional: optional(boolean('Whether the pod may start without it.')),
            }),
          ),
        ),
      }),
    ),
  );

/** Mount paths of the volumes of a pod in a container. */
export const volumeMounts = (description: string) =>
  listMap(
    description,
    ['mountPath'],
    open(
      object('The place of one volume.', {
        name: string('The name of the volume.', { minLength: 1 }),
        mountPath: string('The path in the container.', { minLength: 1, pattern: '^[^:]+$' }),
        subPath: optional(string('The part of the volume to mount; all of it when left out.')),
        readOnly: optional(boolean('Whether it is mounted for reading only.')),
      }),
    ),
  );

export type Volume = StoredOf<ReturnType<typeof volumes>>[number];
export type VolumeMount = StoredOf<ReturnType<typeof volumeMounts>>[number];
