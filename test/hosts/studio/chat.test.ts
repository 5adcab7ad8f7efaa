import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectVisible } from './expect-visible.js';
import { better, useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio', tolerated: [/Failed to load resource/, /ERR_/] });

const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

const openChat = (width: number, agent = 'support'): Promise<Page> => browser().open(studio.href(`?agent=${agent}`), { width });

/** The answer that hangs. The guard keeps four more characters until the next chunk: they may be the label of an IP address. */
const beforeHang = /One mom/;

describe.each(Object.values(widths))('the chat at %i px', (width) => {
  it('strikes through retracted text and names the guard that rejected the attempt', async () => {
    const page = await openChat(width);
    await send(page, 'short');
    await expectVisible(page.getByText(better));
    await expectVisible(page.getByText('attempt 1 retried'));
    await expectVisible(page.getByText('quality: Say more.').first());
    expect(await page.locator('del').textContent()).toBe('ok.');
    await browser().screenshot(page, 'chat-retry');
  });

  it('shows the reason of a tripwire and links to its moment [spec 4.24]', async () => {
    const page = await openChat(width);
    await send(page, 'leak');
    const notice = page.locator('.notice.tone-trip');
    await expectVisible(notice.getByText('Blocked by leak'));
    await expectVisible(notice.getByText('Output stream'));
    await expectVisible(notice.getByText('not requested'));
    await expectVisible(notice.getByText('email'));
    expect(await page.locator('.transcript').textContent()).not.toContain('whitfield@');
    await browser().screenshot(page, 'chat-tripwire');
    await notice.getByRole('link', { name: 'Show in the run' }).click();
    await expectVisible(page.getByRole('slider', { name: 'Timeline position' }));
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/);
    await expectVisible(page.getByRole('group', { name: /^Graph of/ }).getByRole('button', { name: /^leak.*blocked/ }));
  });

  it('shows the number of buffered characters until their release', async () => {
    const page = await openChat(width, 'desk');
    await send(page, 'slow');
    await expectVisible(page.locator('.transcript').getByText(/\d+ characters buffered/));
    await browser().screenshot(page, 'chat-held');
    await expectVisible(page.getByText('One two three four five. Six seven eight nine ten.'));
    await expectVisible(page.locator('.turn-foot').getByText('success'));
    expect(await page.getByText(/characters buffered/).count()).toBe(0);
  });

  it.each(['Approve', 'Decline'])('requests an approval before a tool runs: %s', async (answer) => {
    const page = await openChat(width);
    await send(page, 'refund');
    const question = page.locator('.notice.tone-edit');
    await expectVisible(question.getByText('Approve the call of refund?'));
    await expectVisible(question.getByText('1042'));
    if (answer === 'Approve') await browser().screenshot(page, 'chat-approval');
    await question.getByRole('button', { name: answer }).click();
    await expectVisible(page.locator('.turn-foot').getByText('success'));
    await expectVisible(page.locator('.tool summary').getByText(answer === 'Approve' ? 'done' : 'declined'));
  });

  it('shows the error of a failing provider', async () => {
    const page = await openChat(width);
    await send(page, 'fail');
    await expectVisible(page.getByText(/The provider is on fire/).first());
    await expectVisible(page.locator('.turn-foot').getByText('failed'));
  });
});

it('continues below the answer when a call of an agent of the AI SDK is approved, and offers no replay of its runs', async () => {
  const page = await openChat(1440, 'loop');
  await send(page, 'refund');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expectVisible(page.getByText(better));
  expect(await page.locator('.turn-foot').getByText('success').count()).toBe(2);
  expect(await page.locator('.user-text').count()).toBe(1);
  expect(await page.locator('.tool summary').allInnerTexts()).toEqual(['refund\nrequested', 'refund\ndone']);
  await page.getByRole('link', { name: 'Open run' }).last().click();
  await page.getByRole('button', { name: 'Again' }).click();
  await expectVisible(page.getByText('Compare with another run'));
  expect(await page.getByText('Edit and run again').count()).toBe(0);
});

it('loads under 350 KB of script first and contacts only its server', async () => {
  const page = await browser().open('about:blank');
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body());
  });
  await page.goto(studio.href(''));
  await expectVisible(page.getByRole('button', { name: 'Send' }));
  await page.waitForLoadState('networkidle');
  const kilobytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000;
  expect(kilobytes).toBeGreaterThan(20);
  expect(kilobytes).toBeLessThan(350);
});

it('runs an example on click', async () => {
  const page = await browser().open(studio.href('?agent=support'));
  await page.getByRole('button', { name: /^short/ }).click();
  await expectVisible(page.getByText('attempt 1 retried'));
  const strip = page.getByRole('complementary', { name: 'Live run' });
  await expectVisible(strip.getByText('success', { exact: true }).first());
  const rows = await strip.locator('.mark-row').allInnerTexts();
  expect(rows.filter((row) => row.includes('leak') && row.includes('Output stream'))).toHaveLength(2); // one for each attempt
});

it('cancels a running run', async () => {
  const page = await openChat(widths.desktop);
  await send(page, 'hang');
  await expectVisible(page.getByText(beforeHang));
  await page.getByRole('button', { name: 'Stop' }).click();
  await expectVisible(page.locator('.turn-foot').getByText('canceled'));
  await expectVisible(page.getByRole('button', { name: 'Send' }));
});

it('restores a conversation by its URL', async () => {
  const page = await openChat(widths.desktop);
  await send(page, 'Where is it?');
  await expectVisible(page.getByText(better));
  await page.waitForURL(/thread=/);
  await page.reload();
  await expectVisible(page.getByText(better));
  await expectVisible(page.locator('.user-text').getByText('Where is it?'));
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expectVisible(page.getByRole('heading', { name: 'Chat with Support' }));
});

it('shows the states of the run next to the conversation', async () => {
  const page = await openChat(widths.desktop);
  await send(page, 'short');
  const strip = page.getByRole('complementary');
  await expectVisible(strip.getByText('attempt 2'));
  await expectVisible(strip.locator('[aria-current="step"]', { hasText: 'success' }));
  await expectVisible(strip.getByText('Output step: Say more.'));
});

it('recovers after a server outage with a canceled run and an unsent message', async () => {
  const page = await openChat(widths.desktop);
  await send(page, 'hang');
  await expectVisible(page.getByText(beforeHang));
  const bringBack = await studio.takeAway();
  await bringBack();
  await expectVisible(page.locator('.turn-foot').getByText(/canceled|failed/));
  const bringBackAgain = await studio.takeAway();
  await send(page, 'Where is it?');
  await expectVisible(page.getByRole('alert').getByText('studio/unreachable'));
  await bringBackAgain();
  await page.getByRole('button', { name: 'Send' }).click();
  await expectVisible(page.getByText(better));
});
