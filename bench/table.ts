import type { Figure } from './figure.ts';

const HEAD = ['benchmark', 'unit', 'ours', 'peer', 'theirs', 'ratio', 'goal', ''];

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);

export const isReached = ({ ratio, goal }: Figure): boolean => ratio >= goal;

const row = (figure: Figure): readonly string[] => [
  figure.what,
  figure.unit,
  number(figure.ours),
  figure.peer,
  number(figure.theirs),
  `${figure.ratio.toFixed(1)}×`,
  `≥ ${figure.goal}×`,
  isReached(figure) ? 'reached' : 'MISSED',
];

/** The figures as a table of text. */
export const toTable = (figures: readonly Figure[]): string => {
  const rows = [HEAD, ...figures.map(row)];
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return rows
    .map((cells) =>
      cells
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
};
