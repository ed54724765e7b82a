import type { DataProcess } from '@perigee/api/kinds/flows/data-process';
import type { DatasetWritten } from '@perigee/api/kinds/flows/dataset';
import { normalisePath } from './paths.ts';
import { PRODUCED_BY } from './produced-marks.ts';

/** The Datasets that a process produces. Each begins as a directory of the one that it works on. */
export const producedDatasets = ({ metadata, spec }: DataProcess): readonly DatasetWritten[] =>
  (spec.produces ?? []).flatMap(({ dataset, path }) => {
    if (dataset === undefined || dataset.name === spec.dataset.name) return [];
    const { namespace = '', uid } = metadata;
    const steps = [namespace, spec.dataset.name, normalisePath(dataset.path ?? path)];
    const mountPoint = `dataset://${steps.filter((step) => step !== '').join('/')}`;
    return [
      {
        metadata: { namespace, name: dataset.name, annotations: { [PRODUCED_BY]: uid } },
        spec: { mounts: [{ mountPoint, name: dataset.name, path: '/' }] },
      },
    ];
  });
