const CONTROLS = /\p{Cc}+/gu;

/** A line of what others wrote, without characters that a terminal would act on. */
export const printable = (line: string): string => line.replace(CONTROLS, ' ');
