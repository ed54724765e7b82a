import { present } from '@perigee/schema/present';
import { scriptOf } from '../functions/script.ts';
import type { StepFunction } from '../functions/step-function.ts';
import type { FunctionOptions, ProcessStep, Produces } from './step.ts';

const MOUNT_PATH = '/data';

interface Where {
  readonly flow: string;
  readonly step: string;
  readonly dataset: string;
}

const producesOf = (produces: Produces<string>) =>
  produces.map((one) => (typeof one === 'string' ? { dataset: { name: one } } : one));

const dataOf = (
  dataset: string,
  { mountPath = MOUNT_PATH, subPath }: { readonly mountPath?: string; readonly subPath?: string },
) => ({ name: dataset, mountPath, ...present({ subPath }) });

/** Converts a step with a script or a pod to the spec of the kind. */
export const processStep = (
  { mountPath, subPath, dataset: _, produces, ...rest }: ProcessStep<string, string, string>,
  { dataset }: Where,
) => ({
  ...rest,
  dataset: dataOf(dataset, present({ mountPath, subPath })),
  ...present({ produces: produces && producesOf(produces) }),
});

/** The image of the running Node.js major version, so that the syntax of this program also works there. */
const usualImage = (): string => `node:${process.versions.node.split('.')[0]}-slim`;

/** Splits an image into name and tag; a digest is not a tag. */
const imageParts = (image: string) => {
  const at = image.lastIndexOf(':');
  const hasTag = at > image.lastIndexOf('/') && !image.includes('@');
  return hasTag ? { image: image.slice(0, at), imageTag: image.slice(at + 1) } : { image };
};

const definedFields = (fields: { readonly [name: string]: unknown }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A step that runs a function of this program as a packed script under node. */
export const functionStep = (
  run: StepFunction,
  options: FunctionOptions<string, string, string>,
  where: Where,
) => {
  const {
    image = usualImage(),
    with: values = {},
    serviceAccountName,
    podMetadata,
    ...more
  } = options;
  const { env, resources, volumes, volumeMounts, imagePullPolicy, ...rest } = more;
  const data = rest.mountPath ?? MOUNT_PATH;
  const script = {
    ...imageParts(image),
    command: ['node'],
    source: scriptOf(run, { ...where, data }, values),
    ...definedFields({ env, resources, volumes, volumeMounts, imagePullPolicy }),
  };
  const processor = { script, ...definedFields({ serviceAccountName, podMetadata }) };
  return processStep({ ...rest, processor } as ProcessStep<string, string, string>, where);
};
