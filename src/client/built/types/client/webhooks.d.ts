/** Headers of a request, in whatever form a server has them. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/**
 * [Y5] The event in the body of a webhook, once its signature is verified (Standard Webhooks 1.0): over the raw body, by
 * the endpoint's secret, not older than five minutes. Throws a `BrowserTaskError` `webhook_invalid` else,
 * and `webhook_secret_invalid` without a secret.
 */
export declare function unwrap<Event = {
    readonly type: string;
    readonly timestamp: string;
    readonly data: unknown;
}>(body: string | Uint8Array, headers: GivenHeaders, secret: string, now?: number): Promise<Event>;
