import { crdStrategy } from '../crd/crd-strategy.ts';
import { prepareCrd } from '../crd/default-crd.ts';
import type { ServedResource } from '../resource/served-resource.ts';

/** CustomResourceDefinitions as a server serves them that acts on them; takes them as the table has them. */
export const crdResource = (builtin: ServedResource): ServedResource => {
  const { defaults = (object) => object, prepare = (object) => object } = builtin.strategy;
  return {
    ...builtin,
    strategy: {
      ...builtin.strategy,
      ...crdStrategy,
      defaults: (crd) => crdStrategy.defaults?.(defaults(crd)) ?? crd,
      // Which status may be written, the registry has said already: that of `crd` is the one to go on.
      prepare: (crd, old) =>
        prepareCrd(
          prepare(crd, old),
          old === undefined ? undefined : { ...old, status: crd.status },
        ),
    },
  };
};
