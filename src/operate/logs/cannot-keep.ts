/** The folder for logs cannot be written to. */
export class CannotKeep extends Error {
  public static of(path: string, error: unknown): CannotKeep {
    if (error instanceof CannotKeep) {
      return new CannotKeep(`${path}: ${error.message}`);
    }
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOSPC'
        ? 'the disk is full'
        : code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
          ? 'it may not be written to'
          : code === 'EEXIST' || code === 'ENOTDIR'
            ? 'there is a file of that name'
            : message;
    return new CannotKeep(`${path}: ${why}; --keep takes a folder to write logs to`);
  }
}
