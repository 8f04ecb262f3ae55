import { checkDnsSubdomain } from '../common/names';

/**
 * One key of a Kubernetes Secret that exists in the cluster. Values of secrets never pass through this library.
 *
 * @example
 *   SecretKey.of('hf-token', 'token');
 */
export class SecretKey {
  /**
   * Name a key of a Secret in the namespace of the workload.
   * @param secretName name of the Secret
   * @param key key in its data
   */
  public static of(secretName: string, key: string): SecretKey {
    return new SecretKey(secretName, key);
  }

  /** Name of the Secret. */
  public readonly secretName: string;
  /** Key in its data. */
  public readonly key: string;

  private constructor(secretName: string, key: string) {
    refuseSecret('name of the Secret', secretName);
    refuseSecret('key of the Secret', key);
    this.secretName = checkDnsSubdomain('name of the Secret', secretName);
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key === '.' || key.startsWith('..')) {
      throw new Error(
        `key of Secret '${secretName}' is '${key}'; it takes letters, digits, '-', '_' and '.', is not '.' and does not ` +
          "start with '..'",
      );
    }
    this.key = key;
  }

  /**
   * Where a variable of a container gets its value.
   * @internal
   */
  public get _source(): { secretKeyRef: { name: string; key: string } } {
    return { secretKeyRef: { name: this.secretName, key: this.key } };
  }
}

/** The value of a secret, pasted here by mistake, must reach neither the manifest nor a log. */
function refuseSecret(what: string, text: string): void {
  if (typeof text === 'string' && /^(hf_|sk-|ghp_|AKIA)|[A-Za-z0-9]{33}/.test(text)) {
    throw new Error(
      `${what} is '${text.slice(0, 3)}…' (${text.length} characters), which looks like the secret itself; it takes the name ` +
        "of something in the cluster, such as SecretKey.of('hf-token', 'token')",
    );
  }
}
