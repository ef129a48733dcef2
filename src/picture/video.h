/* SPDX-License-Identifier: MIT */
/* video.h: pictures to a film, through a pipe to the program ffmpeg. The ending of the name
 * decides: .mp4 is H.264, .webm is VP9, both with colours that browsers and players show as they
 * are. The film is whole or absent. */
#ifndef FIRN_FILM_H
#define FIRN_FILM_H

#include "plot/image.h"

typedef struct firn_video firn_video;

/* Refused: another ending; ffmpeg is not installed (the sentence says how to get it). */
firn_status firn_video_create(const char *path, double fps, firn_video **film,
                              firn_messages *messages);
/* All pictures of a film have the size of the first. */
firn_status firn_video_add(firn_video *film, const firn_image *image, firn_messages *messages);
/* Both end the film's life. */
firn_status firn_video_commit(firn_video *film, firn_messages *messages);
void firn_video_abandon(firn_video *film);

#endif
