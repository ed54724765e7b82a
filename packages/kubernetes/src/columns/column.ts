import type { ComputedColumn } from '../resource/resource-description.ts';
import { ageOf } from './age.ts';
import { at, listAt, sizeAt, textAt } from './fields.ts';
import { selectorText } from './selector-text.ts';

type CellOf = ComputedColumn['cell'];

export const text = (name: string, doc: string, cell: CellOf): ComputedColumn => ({
  name,
  type: 'string',
  doc,
  cell,
});

export const integer = (name: string, doc: string, cell: CellOf): ComputedColumn => ({
  name,
  type: 'integer',
  doc,
  cell,
});

export const flag = (name: string, doc: string, cell: CellOf): ComputedColumn => ({
  name,
  type: 'boolean',
  doc,
  cell,
});

/** A column that only `-o wide` shows. */
export const wide = (name: string, doc: string, cell: CellOf): ComputedColumn => ({
  ...text(name, doc, cell),
  priority: 1,
});

export const age = text('Age', 'The time since the object was created.', (object, nowMs) =>
  ageOf(textAt(object, 'metadata', 'creationTimestamp'), nowMs),
);

/** A column with what stands at a path, or something else where nothing does. */
export const textColumn = (
  name: string,
  doc: string,
  path: readonly string[],
  otherwise = '',
): ComputedColumn => text(name, doc, (object) => textAt(object, ...path) || otherwise);

/** A column with how many entries the objects at some paths have. */
export const sizeColumn = (
  name: string,
  doc: string,
  ...paths: readonly (readonly string[])[]
): ComputedColumn =>
  text(name, doc, (object) => paths.reduce((sum, path) => sum + sizeAt(object, ...path), 0));

/** The containers of a pod template and their images. */
export const containerColumns = (...template: readonly string[]): readonly ComputedColumn[] => {
  const joined =
    (field: string): CellOf =>
    (object) =>
      listAt(object, ...template, 'spec', 'containers')
        .map((container) => textAt(container, field))
        .join(',');
  return [
    wide('Containers', 'The names of the containers in the template.', joined('name')),
    wide('Images', 'The images of the containers in the template.', joined('image')),
  ];
};

export const selectorColumn = (...path: readonly string[]): ComputedColumn =>
  wide('Selector', 'The labels by which its pods are found.', (object) =>
    selectorText(at(object, ...path)),
  );
