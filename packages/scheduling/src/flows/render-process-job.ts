import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { objectIn, objectsIn, textIn } from '../interpreter/fields.ts';
import { type ProductPlaces, placeOfProduct } from './product-place.ts';
import type { RenderedRun, RunParts } from './run-parts.ts';
import { validateOperation } from './validate-operation.ts';

type Processor = DataProcess['spec']['processor'];
type Script = NonNullable<Processor['script']>;

/** Fluid's names. */
const DATASET_VOLUME = 'fluid-dataset-vol';
const SCRIPT_VOLUME = 'script-cm-vol';
const SCRIPT_CONTAINER = 'script-processor';
const SCRIPT_FILE = 'preprocess.sh';
const SCRIPT_PATH = `/fluid-scripts/${SCRIPT_FILE}`;
const READ_AND_RUN = 0o555;

/** The name, made unique among the user's volumes. */
const freeName = (name: string, usedNames: ReadonlySet<string>): string => {
  let free = name;
  for (let number = 2; usedNames.has(free); number++) free = `${name}-${number}`;
  return free;
};

const namesIn = (podSpec: JsonObject): ReadonlySet<string> =>
  new Set(objectsIn(podSpec, 'volumes').map((volume) => textIn(volume, 'name')));

const imageOf = ({ image = '', imageTag = '' }: Script): string =>
  imageTag === '' ? image : `${image}:${imageTag}`;

/** The script is mounted as a file: user input never becomes part of a command line. */
const scriptPod = (script: Script, configMap: string): Pick<RunParts, 'podSpec' | 'files'> => {
  const { command, env, resources, restartPolicy, source, imagePullPolicy } = script;
  const volumes = (script.volumes ?? []) as readonly JsonObject[];
  const mounts = (script.volumeMounts ?? []) as readonly JsonObject[];
  const volume = freeName(SCRIPT_VOLUME, namesIn({ volumes }));
  const container: JsonObject = {
    name: SCRIPT_CONTAINER,
    image: imageOf(script),
    imagePullPolicy: imagePullPolicy ?? 'IfNotPresent',
    ...present({ command }),
    args: [SCRIPT_PATH],
    ...present({ env: env as never, resources: resources as never }),
    volumeMounts: [...mounts, { name: volume, mountPath: SCRIPT_PATH, subPath: SCRIPT_FILE }],
  };
  return {
    podSpec: {
      restartPolicy,
      containers: [container],
      volumes: [
        ...volumes,
        { name: volume, configMap: { name: configMap, defaultMode: READ_AND_RUN } },
      ],
    },
    files: { [SCRIPT_FILE]: source },
  };
};

/** The pod with the dataset in all of its containers. */
const withDataset = (
  podSpec: JsonObject,
  { name, mountPath, subPath }: DataProcess['spec']['dataset'],
  products: ProductPlaces,
): JsonObject => {
  if (mountPath === '') return podSpec;
  const volume = freeName(DATASET_VOLUME, namesIn(podSpec));
  const product = placeOfProduct(name, products);
  const { claim: claimName, path: within } =
    product?.kind === 'claim' ? product : { claim: name, path: '' };
  const path = [within, subPath ?? ''].filter((part) => part !== '').join('/');
  const mount: JsonObject = { name: volume, mountPath, ...present({ subPath: unlessEmpty(path) }) };
  const withMount = (field: string): JsonObject => {
    const containers = objectsIn(podSpec, field);
    const all = containers.map((container) => ({
      ...container,
      volumeMounts: [...objectsIn(container, 'volumeMounts'), mount],
    }));
    return containers.length === 0 ? {} : { [field]: all };
  };
  return {
    ...podSpec,
    ...withMount('initContainers'),
    ...withMount('containers'),
    volumes: [
      ...objectsIn(podSpec, 'volumes'),
      { name: volume, persistentVolumeClaim: { claimName } },
    ],
  };
};

/** The pod of a DataProcess: its script, as a file in a container of its image, or its own pod template. */
export const renderProcessJob = (
  operation: DataProcess,
  runName: string,
  products: ProductPlaces = {},
): RenderedRun => {
  const problem = validateOperation(operation);
  if (problem !== undefined) return { kind: 'refused', ...problem };
  if (operation.spec.processor.script !== undefined && !operation.spec.processor.script.image) {
    const message = 'the script has no image to run in: give spec.processor.script.image';
    return { kind: 'refused', reason: 'JobRefused', message };
  }
  const { dataset, processor } = operation.spec;
  const { script, job, serviceAccountName, podMetadata } = processor;
  const own = { restartPolicy: 'Never', ...objectIn({ job: job as never }, 'job', 'podSpec') };
  const { podSpec, files } =
    script === undefined ? { podSpec: own, files: {} } : scriptPod(script, runName);
  const account = serviceAccountName ? { serviceAccountName } : {};
  return {
    kind: 'run',
    podSpec: { ...withDataset(podSpec, dataset, products), ...account },
    podLabels: podMetadata?.labels ?? {},
    podAnnotations: podMetadata?.annotations ?? {},
    files,
  };
};
