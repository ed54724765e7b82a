import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { Kind, PrinterColumn } from './define-kind.ts';

const toColumn = ({ name, type, path, doc, priority }: PrinterColumn): JsonObject => ({
  name,
  type,
  jsonPath: path,
  description: doc,
  ...present({ priority: priority || undefined }),
});

/** The CustomResourceDefinition that teaches a Kubernetes API server this kind. */
export const toCrd = (kind: Kind): JsonObject => {
  const { definition, group, version, plural, scope } = kind;
  const { scale, columns = [], shortNames = [], categories = [], selectableFields } = definition;
  const hasStatus = definition.status && definition.statusSubresource !== false;
  const age: PrinterColumn = {
    name: 'Age',
    type: 'date',
    path: '.metadata.creationTimestamp',
    doc: 'Time since creation.',
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular: definition.singular ?? kind.kind.toLowerCase(),
        ...present({ shortNames: unlessEmpty(shortNames) }),
        categories: ['perigee', ...categories],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: kind.inputSchema as JsonObject },
          ...present({
            subresources:
              hasStatus || scale
                ? present({ status: hasStatus ? {} : undefined, scale: scale && { ...scale } })
                : undefined,
            selectableFields: selectableFields?.map((jsonPath) => ({ jsonPath })),
          }),
          additionalPrinterColumns: [...columns.map(toColumn), toColumn(age)],
        },
      ],
    },
  };
};
