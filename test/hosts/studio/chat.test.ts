import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { widths } from '../browser.js';
import { useBrowser } from '../use-browser.js';
import { expectShown } from './expect-shown.js';
import { better, useStudio } from './serve-studio.js';

const studio = useStudio();
const browser = useBrowser({ suite: 'studio', tolerated: [/Failed to load resource/, /ERR_/] });

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

const openChat = (width: number, agent = 'support'): Promise<Page> => browser().open(studio.href(`?agent=${agent}`), { width });

describe.each(Object.values(widths))('the chat at %i px', (width) => {
  it('strikes through retracted text and names the guard that rejected the attempt', async () => {
    const page = await openChat(width);
    await say(page, 'short');
    await expectShown(page.getByText(better));
    await expectShown(page.getByText('attempt 1 retried'));
    await expectShown(page.getByText('quality: Say more.').first());
    expect(await page.locator('del').textContent()).toBe('ok.');
    await browser().screenshot(page, 'chat-retry');
  });

  it('shows the reason of a tripwire and links to its moment [spec 4.24]', async () => {
    const page = await openChat(width);
    await say(page, 'leak');
    const notice = page.locator('.notice-trip');
    await expectShown(notice.getByText('Stopped by leak'));
    await expectShown(notice.getByText('Output stream'));
    await expectShown(notice.getByText('not requested'));
    await expectShown(notice.getByText('email'));
    expect(await page.locator('.transcript').textContent()).not.toContain('whitfield@');
    await browser().screenshot(page, 'chat-tripwire');
    await notice.getByRole('link', { name: 'Show in the run' }).click();
    await expectShown(page.getByRole('slider', { name: 'Timeline position' }));
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^\d+$/);
    await expectShown(page.getByRole('group', { name: /^Graph of/ }).getByRole('button', { name: /^leak.*trip/ }));
  });

  it('shows the number of buffered characters until their release', async () => {
    const page = await openChat(width, 'desk');
    await say(page, 'slow');
    await expectShown(page.locator('.transcript').getByText(/\d+ characters buffered/));
    await browser().screenshot(page, 'chat-held');
    await expectShown(page.getByText('One two three four five. Six seven eight nine ten.'));
    await expectShown(page.locator('.turn-foot').getByText('success'));
    expect(await page.getByText(/characters buffered/).count()).toBe(0);
  });

  it.each(['Approve', 'Decline'])('requests an approval before a tool runs: %s', async (answer) => {
    const page = await openChat(width);
    await say(page, 'refund');
    const question = page.locator('.notice-edit');
    await expectShown(question.getByText('Approve the call of refund?'));
    await expectShown(question.getByText('1042'));
    if (answer === 'Approve') await browser().screenshot(page, 'chat-approval');
    await question.getByRole('button', { name: answer }).click();
    await expectShown(page.locator('.turn-foot').getByText('success'));
    await expectShown(page.locator('.tool summary').getByText(answer === 'Approve' ? 'done' : 'declined'));
  });

  it('shows the error of a failing provider', async () => {
    const page = await openChat(width);
    await say(page, 'fail');
    await expectShown(page.getByText(/The provider is on fire/).first());
    await expectShown(page.locator('.turn-foot').getByText('failed'));
  });
});

it('loads under 350 KB of script first and contacts only its server', async () => {
  const page = await browser().open('about:blank');
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body());
  });
  await page.goto(studio.href(''));
  await expectShown(page.getByRole('button', { name: 'Send' }));
  await page.waitForLoadState('networkidle');
  const kilobytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000;
  expect(kilobytes).toBeGreaterThan(20);
  expect(kilobytes).toBeLessThan(350);
});

it('runs an example on click', async () => {
  const page = await browser().open(studio.href('?agent=support'));
  await page.getByRole('button', { name: /^short/ }).click();
  await expectShown(page.getByText('attempt 1 retried'));
  const strip = page.getByRole('complementary', { name: 'Live run' });
  await expectShown(strip.getByText('success', { exact: true }).first());
  const rows = await strip.locator('.mark-row').allInnerTexts();
  expect(rows.filter((row) => row.includes('leak') && row.includes('Output stream'))).toHaveLength(2); // one for each attempt
});

it('cancels a running run', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'hang');
  await expectShown(page.getByText('One moment'));
  await page.getByRole('button', { name: 'Stop' }).click();
  await expectShown(page.locator('.turn-foot').getByText('canceled'));
  await expectShown(page.getByRole('button', { name: 'Send' }));
});

it('restores a conversation by its URL', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'Where is it?');
  await expectShown(page.getByText(better));
  await page.waitForURL(/thread=/);
  await page.reload();
  await expectShown(page.getByText(better));
  await expectShown(page.locator('.said').getByText('Where is it?'));
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expectShown(page.getByRole('heading', { name: 'Chat with Support' }));
});

it('shows the states of the run next to the conversation', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'short');
  const strip = page.getByRole('complementary');
  await expectShown(strip.getByText('attempt 2'));
  await expectShown(strip.locator('[aria-current="step"]', { hasText: 'success' }));
  await expectShown(strip.getByText('Output step: Say more.'));
});

it('recovers after a server outage with a canceled run and an unsent message', async () => {
  const page = await openChat(widths.desktop);
  await say(page, 'hang');
  await expectShown(page.getByText('One moment'));
  const bringBack = await studio.takeAway();
  await bringBack();
  await expectShown(page.locator('.turn-foot').getByText(/canceled|failed/));
  const bringBackAgain = await studio.takeAway();
  await say(page, 'Where is it?');
  await expectShown(page.getByRole('alert').getByText('studio/unreachable'));
  await bringBackAgain();
  await page.getByRole('button', { name: 'Send' }).click();
  await expectShown(page.getByText(better));
});
