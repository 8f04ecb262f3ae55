/** Why something cannot be rehearsed here; for the person who asked. */
export class CannotRehearse extends Error {}
