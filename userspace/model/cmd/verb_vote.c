// SPDX-License-Identifier: MIT
// `gpulane model histogram`, `hough` and `kmeans`: one way to vote, the best way, or a sweep over
// all.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/cmd/verb_vote.h"
#include "model/plot.h"

static double per_warp(double cycles, uint64_t warps)
{
	return warps ? cycles / (double)warps : 0;
}

static uint32_t given_bins(const struct vote_options *o)
{
	static const uint32_t preset[] = {
		[LANE_VOTERS_HISTOGRAM] = 256, [LANE_VOTERS_HOUGH] = 2048, [LANE_VOTERS_KMEANS] = 16
	};
	uint32_t bins = o->bins ? o->bins : preset[o->images.of];

	return o->images.of == LANE_VOTERS_KMEANS ? 2 * bins : bins;
}

static void put_way(json_object *object, const struct lane_vote *vote)
{
	model_put_text(object, "layout", model_layout_name(vote->layout));
	model_put_whole(object, "bins", vote->bins);
	model_put_whole(object, "copies", vote->copies);
	model_put_text(object, "hash", model_hash_name(vote->pad->hash));
	model_put_whole(object, "bytes",
			(int64_t)model_vote_words(vote->layout, vote->bins, vote->copies) * 4);
}

/* One way looked at closely. */
static struct lane_error *put_close(const struct lane_ways *ways, size_t way,
				    struct lane_vote_reasons *r, json_object *result)
{
	struct lane_vote one;
	struct lane_error *err = model_ways_explain(ways, way, &one, r);

	if (err)
		return err;
	put_way(result, &one);
	model_put_whole(result, "warps", (int64_t)r->warps);
	model_put_real(result, "cycles", r->cycles, 3);
	model_put_real(result, "cycles_per_warp", per_warp(r->cycles, r->warps), 3);
	model_put_real(result, "base_cycles_per_warp", per_warp(r->base_cycles, r->warps), 3);
	model_put_real(result, "position_cycles_per_warp", per_warp(r->position_cycles, r->warps),
		       3);
	model_put_real(result, "lock_cycles_per_warp", per_warp(r->lock_cycles, r->warps), 3);
	model_put_real(result, "bank_cycles_per_warp", per_warp(r->bank_cycles, r->warps), 3);
	model_put_whole(result, "worst_position_degree", r->position_degree);
	model_put_whole(result, "worst_bank_degree", r->bank_degree);
	model_put_whole(result, "worst_lock_degree", r->lock_degree);
	return NULL;
}

/* Why the best way is the best: what it saves and what it still pays, in one sentence. */
static void say_why(const struct lane_vote_reasons *r, const struct lane_vote *plain,
		    const struct lane_vote *best, json_object *result)
{
	double position = per_warp(r->position_cycles, r->warps);
	double lock = per_warp(r->lock_cycles, r->warps);
	double bank = per_warp(r->bank_cycles, r->warps);
	const char *most = position >= lock && position >= bank ? "lanes on the same word"
			   : lock >= bank			? "words behind the same lock"
								: "words in the same bank";
	char text[256];

	if (model_vote_mean(best) <= model_pad_cycles(best->pad, 1, 1, 1))
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy: no conflict is left",
			 model_vote_mean(best), model_vote_mean(plain));
	else
		snprintf(text, sizeof(text),
			 "%.1f cycles a warp instead of %.1f with one copy; most of what is left "
			 "above "
			 "%.0f are %s (position %.1f, lock %.1f, bank %.1f)",
			 model_vote_mean(best), model_vote_mean(plain),
			 model_pad_cycles(best->pad, 1, 1, 1), most, position, lock, bank);
	model_put_text(result, "why", text);
}

/* The best of all layouts and copies for the chosen hash, and what each takes. */
static struct lane_error *put_best(const struct vote_options *o, struct lane_ways *ways,
				   json_object *result)
{
	struct lane_vote_reasons reasons;
	size_t best;
	struct lane_error *err = model_ways_choose(ways, o->hash, o->layout, given_bins(o), &best);

	if (!err)
		err = put_close(ways, best, &reasons, result);
	if (err)
		return err;
	say_why(&reasons, &ways->vote[0], &ways->vote[best], result);
	for (size_t i = 0; i < ways->n; i++) {
		json_object *row = model_row(result);

		put_way(row, &ways->vote[i]);
		model_put_real(row, "cycles_per_warp", model_vote_mean(&ways->vote[i]), 3);
		model_put_text(row, "best", i == best ? "yes" : "");
	}
	return NULL;
}

static enum lane_layout given_layout(const struct vote_options *o)
{
	return o->layout < 0 ? LANE_LAYOUT_REPLICATED : (enum lane_layout)o->layout;
}

static struct lane_error *put_single(const struct vote_options *o, struct lane_ways *ways,
				     json_object *result)
{
	struct lane_vote_reasons reasons;
	struct lane_error *err =
		model_ways_add(ways, o->hash, given_layout(o), given_bins(o), o->copies);

	return err ? err : put_close(ways, 0, &reasons, result);
}

static void put_row(const struct vote_options *o, const struct lane_way_row *from, json_object *row)
{
	model_put_text(row, "layout", model_layout_name(from->layout));
	model_put_whole(row, "bins", from->bins);
	model_put_whole(row, "copies", from->copies);
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_put_real(row, model_hash_name((enum lane_hash)h), from->cycles[h], 3);
	for (int h = 1; h < LANE_HASH_COUNT; h++) {
		char key[16];

		snprintf(key, sizeof(key), "gain_%s", model_hash_name((enum lane_hash)h));
		model_put_real(row, key, from->gain[h], 3);
	}
	if (o->ways.sums_loads)
		model_put_real(row, "as_load", from->as_load, 3);
}

/* Processor time: what one core needs, however busy the machine is. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One line per number of bins and hash, cycles over copies. */
static struct lane_error *plot_sweep(const struct vote_options *o, const struct lane_way_rows *rows)
{
	size_t n = rows->n;
	LANE_CLEANUP(lane_free) double *number = calloc(n * (1 + LANE_HASH_COUNT), sizeof(double));
	LANE_CLEANUP(lane_free)
	struct lane_series *series = calloc(n * LANE_HASH_COUNT, sizeof(*series));
	LANE_CLEANUP(lane_free) char(*name)[32] = calloc(n * LANE_HASH_COUNT, sizeof(*name));
	size_t n_series = 0;
	size_t end;

	if (!number || !series || !name)
		return &lane_enomem;
	for (size_t begin = 0; begin < n; begin = end) {
		uint32_t bins = rows->row[begin].bins;

		for (end = begin; end < n && rows->row[end].bins == bins; end++) {
			number[end] = rows->row[end].copies;
			for (int h = 0; h < LANE_HASH_COUNT; h++)
				number[n * (size_t)(h + 1) + end] = rows->row[end].cycles[h];
		}
		for (int h = 0; h < LANE_HASH_COUNT; h++) {
			snprintf(name[n_series], sizeof(name[0]), "%u bins, %s", bins,
				 model_hash_name((enum lane_hash)h));
			series[n_series] =
				(struct lane_series){ name[n_series], number + begin,
						      number + n * (size_t)(h + 1) + begin,
						      end - begin };
			n_series++;
		}
	}
	return model_plot(o->common.plot,
			  &(struct lane_plot){ "Atomics in scratchpad memory", "copies",
					       "cycles per warp", 1, series, n_series });
}

static void put_rows(const struct vote_options *o, const struct lane_way_rows *rows,
		     json_object *result)
{
	const struct lane_way_row *best = &rows->row[rows->best];

	for (uint32_t i = 0; i < rows->n; i++)
		put_row(o, &rows->row[i], model_row(result));
	model_put_real(result, "largest_gain_xor", best->gain[LANE_HASH_XOR], 3);
	model_put_whole(result, "largest_gain_bins", best->bins);
	model_put_whole(result, "largest_gain_copies", best->copies);
}

static struct lane_error *put_sweep(const struct vote_options *o, struct lane_ways *ways,
				    json_object *result)
{
	bool is_one = o->bins || o->images.of != LANE_VOTERS_HISTOGRAM;
	double begin = seconds(), taken;
	struct lane_way_rows rows;
	struct lane_error *err =
		model_ways_sweep(ways, given_layout(o), is_one ? given_bins(o) : 32,
				 is_one ? given_bins(o) : 4096, &rows);

	if (!err) {
		taken = seconds() - begin;
		fprintf(stderr,
			"gpulane: model: %llu warps in %.1f s of processor time, %.2f million "
			"warps/s\n",
			(unsigned long long)rows.warps, taken,
			taken > 0 ? (double)rows.warps / taken / 1e6 : 0);
		put_rows(o, &rows, result);
		if (o->common.plot)
			err = plot_sweep(o, &rows);
	}
	free(rows.row);
	return err;
}

static struct lane_error *put_result(const struct vote_options *o, struct lane_ways *ways,
				     json_object *result)
{
	if (o->images.n_images)
		model_put_whole(result, "images", ways->voters->n);
	else
		model_put_text(result, "generated", model_texture_name(o->images.texture));
	if (o->sweep)
		return put_sweep(o, ways, result);
	return o->copies ? put_single(o, ways, result) : put_best(o, ways, result);
}

static struct lane_error *run(void *options_read, struct lane_device *device, json_object *result)
{
	const struct vote_options *o = options_read;
	struct lane_voters voters;
	struct lane_ways ways = { .n = 0 };
	struct lane_error *err = model_voters_load(&o->images, &voters);

	if (!err)
		err = model_ways_init(&ways, device, &voters, &o->ways);
	if (!err)
		err = put_result(o, &ways, result);
	model_ways_free(&ways);
	model_voters_free(&voters);
	return err;
}

static struct lane_error *vote(enum lane_voters_of of, const char *name, int argc, char **argv)
{
	bool is_hough = of == LANE_VOTERS_HOUGH;
	struct vote_options o = { .layout = -1,
				  .ways = { .block = 256 },
				  .images = { .of = of,
					      .texture = is_hough ? LANE_TEXTURE_LINES
								  : LANE_TEXTURE_SMOOTH,
					      .width = is_hough ? 640 : 1536,
					      .height = is_hough ? 480 : 1024,
					      .seed = 1,
					      .angles = 180,
					      .threshold = 0.1,
					      .iterations = 10 } };
	int done;
	struct lane_error *err = vote_parse(argc, argv, &o, &done);

	if (err || done)
		return err;
	return model_run(&o.common, name, "fermi-gtx580", run, &o);
}

struct lane_error *model_histogram(int argc, char **argv)
{
	return vote(LANE_VOTERS_HISTOGRAM, "histogram", argc, argv);
}

struct lane_error *model_hough(int argc, char **argv)
{
	return vote(LANE_VOTERS_HOUGH, "hough", argc, argv);
}

struct lane_error *model_kmeans(int argc, char **argv)
{
	return vote(LANE_VOTERS_KMEANS, "kmeans", argc, argv);
}
