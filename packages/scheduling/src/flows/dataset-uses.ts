import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { DataMigrate } from '@perigee/api/kinds/flows/data-migrate';
import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import { datasetAt } from './migrate-ends.ts';
import type { Operation } from './operation.ts';
import { normalisePath } from './paths.ts';

/** A directory of a claim, in every cluster that an operation ran in. */
export interface ClaimPlace {
  readonly claim: string;
  readonly path: string;
}

/** An operation's use of a dataset in its namespace. */
export interface DatasetUse {
  readonly dataset: string;
  /** `load` brings the data unchanged to a cluster, `write` changes it, `read` does neither. */
  readonly does: 'load' | 'write' | 'read';
  /** True if it concerns all of the data. */
  readonly isWhole: boolean;
  /** The place of the data; by default the claim with the dataset's own name. */
  readonly place?: ClaimPlace;
  /** Set if another dataset lies in its claim: that one ends with the claim. */
  readonly isGround?: true;
}

const isRoot = (path: string | undefined): boolean => normalisePath(path) === '';

const ofLoad = ({ spec }: DataLoad): readonly DatasetUse[] => {
  const { target = [] } = spec;
  const isWhole = target.length === 0 || target.some(({ path }) => isRoot(path));
  return [{ dataset: spec.dataset.name, does: 'load', isWhole }];
};

const ofMigrate = ({ metadata, spec }: DataMigrate): readonly DatasetUse[] => {
  const { namespace = '' } = metadata;
  const [source, target] = [spec.from, spec.to].map((end) => {
    const dataset = datasetAt(end, namespace);
    return dataset?.namespace === namespace ? dataset : undefined;
  });
  return [
    ...(target !== undefined
      ? [{ dataset: target.name, does: 'write', isWhole: isRoot(target.path) } as const]
      : []),
    ...(source !== undefined && source.name !== target?.name
      ? [{ dataset: source.name, does: 'read', isWhole: isRoot(source.path) } as const]
      : []),
  ];
};

const ofProcess = ({ spec }: DataProcess): readonly DatasetUse[] => {
  const workDataset = spec.dataset.name;
  const products = (spec.produces ?? []).flatMap(({ dataset, path }): readonly DatasetUse[] => {
    if (dataset === undefined) return [];
    const within = normalisePath(dataset.path ?? path);
    if (dataset.name === workDataset) {
      return [{ dataset: workDataset, does: 'write', isWhole: within === '' }];
    }
    const place = { claim: workDataset, path: within };
    return [{ dataset: dataset.name, does: 'write', isWhole: true, place }];
  });
  const isWritten = products.some(({ dataset }) => dataset === workDataset);
  if (isWritten) return products;
  const ground = (spec.produces ?? []).length > 0 ? ({ isGround: true } as const) : {};
  return [{ dataset: workDataset, does: 'read', isWhole: true, ...ground }, ...products];
};

/** The datasets of its namespace that an operation uses. */
export const datasetUses = (operation: Operation): readonly DatasetUse[] => {
  switch (operation.kind) {
    case 'DataLoad':
      return ofLoad(operation as DataLoad);
    case 'DataMigrate':
      return ofMigrate(operation as DataMigrate);
    case 'DataProcess':
      return ofProcess(operation as DataProcess);
    default:
      return [{ dataset: (operation as DataBackup).spec.dataset, does: 'read', isWhole: true }];
  }
};
