/**
 * [S13] Every response of a service carries this header, so that a browser that works for it can recognise it under any
 * name: a second DNS name, an address of the local network, a port behind a proxy.
 */
export const SERVICE_HEADER = 'X-Browser-Task-Service'
