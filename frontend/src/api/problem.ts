/** Something the server refused or could not do, as one sentence a person can act on (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0 when no answer came at all. */
  readonly status: number;
  /** Stable word for programs, such as `token_expired`; `unreachable` when no answer came. */
  readonly code: string;
  /** What to name when asking for help; empty when no answer came. */
  readonly requestId: string;
  readonly fields: readonly FieldProblem[];

  constructor(sentence: string, details: ProblemDetails) {
    super(sentence);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId ?? '';
    this.fields = details.fields ?? [];
  }
}

export interface FieldProblem {
  field: string;
  message: string;
}

interface ProblemDetails {
  status: number;
  code: string;
  requestId?: string;
  fields?: readonly FieldProblem[];
}

const UNREACHABLE =
  'The Leadline server could not be reached. Check that it is running and that you are online.';

/** The failure of a request that got no answer. An abort is not a failure and is passed through. */
export function unreachable(cause: unknown): unknown {
  if (isAbort(cause)) return cause;
  if (cause instanceof ApiProblem) return cause;
  return new ApiProblem(UNREACHABLE, { status: 0, code: 'unreachable' });
}

function isAbort(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'name' in cause && cause.name === 'AbortError';
}

/** Reads a refused answer. Works for problem+json, for VictoriaMetrics' own errors, for allauth's, and for a page from a proxy. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = asRecord(await response.json().catch(() => null));
  const fields = fieldsOf(body['errors']);
  const sentence =
    text(body['detail']) ||
    text(body['error']) ||
    fields[0]?.message ||
    text(body['title']) ||
    fallback(response);
  return new ApiProblem(sentence, {
    status: response.status,
    code: text(body['code']) || fields[0]?.field || `http_${response.status}`,
    requestId: text(body['request_id']) || (response.headers.get('X-Request-Id') ?? ''),
    fields,
  });
}

function fallback(response: Response): string {
  if (response.status === 429) return 'Too many attempts. Wait a few minutes and try again.';
  if (response.status >= 500) return `The server failed to answer this request (status ${response.status}).`;
  return `The server refused this request (status ${response.status}).`;
}

function fieldsOf(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(asRecord).map((error) => ({
    // allauth names the field `param`.
    field: text(error['field']) || text(error['param']),
    message: text(error['message']),
  }));
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What an error panel shows of any failure. */
export interface Failure {
  sentence: string;
  status: number;
  requestId: string;
}

/** Turns whatever a query or a render threw into what a person is shown. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ApiProblem) {
    return { sentence: error.message, status: error.status, requestId: error.requestId };
  }
  const detail = error instanceof Error && error.message ? error.message : 'no reason was given';
  return { sentence: `This page failed: ${detail}.`, status: 0, requestId: '' };
}
