/* SPDX-License-Identifier: MIT */
/* video.h: pictures to a film by the program ffmpeg. By the extension of the name: .mp4 is H.264,
 * .webm is VP9, both with tagged colours (BT.709). The film is complete or absent. */
#ifndef FIRN_VIDEO_H
#define FIRN_VIDEO_H

#include "plot/image.h"

typedef struct firn_video firn_video;

/* FIRN_REFUSED: another ending, or a rate out of range. */
firn_status firn_video_create(const char *path, double fps, firn_video **video,
                              firn_messages *messages);
/* All pictures of a film have the size of the first. */
firn_status firn_video_add(firn_video *video, const firn_image *image, firn_messages *messages);
/* Both release the film. */
firn_status firn_video_commit(firn_video *video, firn_messages *messages);
void firn_video_abandon(firn_video *video);

#endif
