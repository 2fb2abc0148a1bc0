import { describe, expect, it } from 'vitest';
import { ApiProblem, describeFailure, problemOf, unreachable } from './problem';

function answer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers });
}

describe('problemOf', () => {
  it('reads problem+json: the sentence, the code, the request and the fields', async () => {
    const body = {
      title: 'Invalid',
      detail: 'The name is taken.',
      code: 'invalid',
      request_id: 'r-7',
      errors: [{ field: 'name', message: 'Taken.' }],
    };
    const problem = await problemOf(answer(400, JSON.stringify(body)));
    expect(problem.message).toBe('The name is taken.');
    expect(problem).toMatchObject({ status: 400, code: 'invalid', requestId: 'r-7' });
    expect(problem.fields).toEqual([{ field: 'name', message: 'Taken.' }]);
  });

  it("reads the metric store's own errors", async () => {
    const body = JSON.stringify({ status: 'error', errorType: '422', error: 'cannot parse "rate("' });
    expect((await problemOf(answer(422, body))).message).toBe('cannot parse "rate("');
  });

  it('reads the errors of the identity server', async () => {
    const body = JSON.stringify({
      status: 400,
      errors: [{ message: 'Wrong.', code: 'x', param: 'password' }],
    });
    const problem = await problemOf(answer(400, body));
    expect(problem.message).toBe('Wrong.');
    expect(problem.fields).toEqual([{ field: 'password', message: 'Wrong.' }]);
  });

  it.each([
    [429, 'Too many attempts. Wait a few minutes and try again.'],
    [502, 'The server failed to answer this request (status 502).'],
    [404, 'The server refused this request (status 404).'],
  ])('says something useful of a bare %i page', async (status, sentence) => {
    const problem = await problemOf(answer(status, '<html>', { 'X-Request-Id': 'r-9' }));
    expect(problem.message).toBe(sentence);
    expect(problem.requestId).toBe('r-9');
  });
});

describe('unreachable', () => {
  it('turns a network failure into a sentence without a status', () => {
    const problem = unreachable(new TypeError('Failed to fetch'));
    expect(problem).toBeInstanceOf(ApiProblem);
    expect(problem).toMatchObject({ status: 0, code: 'unreachable' });
  });

  it('passes an abort through: nobody failed', () => {
    const abort = new DOMException('aborted', 'AbortError');
    expect(unreachable(abort)).toBe(abort);
  });
});

describe('describeFailure', () => {
  it('names the cause of a failure that did not come from the server', () => {
    expect(describeFailure(new Error('x is undefined'))).toEqual({
      sentence: 'This page failed: x is undefined.',
      status: 0,
      requestId: '',
    });
  });
});
